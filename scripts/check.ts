/**
 * `npm run check`: types, format and lint, import rules, dead code, comments, clock and packages, one line each; failed checks show their
 * output.
 */
import { spawn } from 'node:child_process'
import { join } from 'node:path'

interface Check {
  readonly name: string
  /** A script path relative to the project's folder, and its arguments. */
  readonly command: readonly [string, ...string[]]
}

interface Outcome {
  readonly passed: boolean
  /** stdout and stderr, interleaved. */
  readonly output: string
  readonly milliseconds: number
}

const root = join(import.meta.dirname, '..')

const checks: readonly Check[] = [
  { name: 'types', command: ['node_modules/typescript/bin/tsc', '--noEmit', '--pretty', 'false', '--project', '.'] },
  {
    name: 'types, absent values',
    command: ['node_modules/typescript/bin/tsc', '--noEmit', '--pretty', 'false', '--project', 'src'],
  },
  {
    name: 'types, dashboard',
    command: ['node_modules/typescript/bin/tsc', '--noEmit', '--pretty', 'false', '--project', 'dashboard'],
  },
  {
    name: 'format and lint',
    command: ['node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '--colors=off', '.'],
  },
  {
    name: 'import rules',
    command: [
      'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs',
      '--config=.dependency-cruiser.cjs',
      'src',
      'test',
      'bench',
      'scripts',
      'examples',
      'dashboard',
    ],
  },
  { name: 'dead code', command: ['node_modules/knip/bin/knip.js', '--no-progress', '--treat-config-hints-as-errors'] },
  { name: 'comments', command: ['scripts/comments.ts'] },
  { name: 'clock', command: ['scripts/clock.ts'] },
  { name: 'packages', command: ['scripts/packages.ts', '--check'] },
]

function run({ command: [program, ...args] }: Check): Promise<Outcome> {
  const started = performance.now()
  const child = spawn(process.execPath, [join(root, program), ...args], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  const collect = (chunk: string) => {
    output += chunk
  }
  child.stdout.setEncoding('utf8').on('data', collect)
  child.stderr.setEncoding('utf8').on('data', collect)
  return new Promise((resolve) => {
    const finish = (passed: boolean) => resolve({ passed, output, milliseconds: performance.now() - started })
    child.on('error', (error) => {
      output += error.message
      finish(false)
    })
    child.on('close', (code) => finish(code === 0))
  })
}

function report(check: Check, outcome: Outcome): void {
  const verdict = outcome.passed ? 'ok    ' : 'FAILED'
  console.log(`${verdict}  ${check.name.padEnd(16)}  ${(outcome.milliseconds / 1000).toFixed(1)} s`)
  if (!outcome.passed) console.log(outcome.output.trimEnd())
}

const running = checks.map((check) => ({ check, outcome: run(check) }))
for (const { check, outcome } of running) report(check, await outcome)
const outcomes = await Promise.all(running.map(({ outcome }) => outcome))
if (outcomes.some(({ passed }) => !passed)) process.exitCode = 1
