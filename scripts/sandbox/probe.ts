/** `probe`: whether a FHIR server does what schedulers and matchers need of it, in the form of the report of a run. */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { exchangePage } from '../../src/rehearsal/reports/addresses.ts'
import { junitOf } from '../../src/rehearsal/reports/junit.ts'
import { markdownOf } from '../../src/rehearsal/reports/markdown.ts'
import type { RunReport } from '../../src/rehearsal/runs/run.ts'
import { noMore, textOf, UsageError, type Values } from './arguments.ts'
import type { Command, Given } from './command.ts'
import { HERE, requireWritable, writeHere } from './files.ts'
import { reportDifferences } from './probe/report-differences.ts'
import { type Probed, runProbe } from './probe/run-probe.ts'
import { exitCodeFor, linesOf } from './report-lines.ts'
import { addressOf, Server } from './server.ts'

/** Options that name a file, and the forms of the report that they get. */
const FORMS = { junit: junitOf, markdown: markdownOf } as const

export const probe: Command = {
  what: 'Tries a FHIR server as a client would: searches, matching, booking, documents, refusals.',
  usage: ['probe [BASE] [--token TOKEN] [--anywhere] [REPORTS] [--against FILE]'],
  help: [
    'BASE             the server; absent: the sandbox itself, as its user. Below the address of the sandbox, such as',
    '                 http://127.0.0.1:3000/as/oracle-r4, too; elsewhere with the token that is given, or none',
    '--anywhere       also a server that is not on this machine. It gets patients, appointments and documents, which are',
    '                 deleted again where it lets them: never a server that treats people',
    '--junit FILE, --markdown FILE',
    '                 REPORTS: files that the report is written to; --json gives it on standard output',
    '--against FILE   a report as --json has given it: says what is different there',
    '',
    'It ends with 0 when all that the server offers is right, with 1 when something is wrong, with 2 when nothing is decided.',
  ],
  examples: [
    'probe --json > ours.json',
    'probe http://127.0.0.1:8080/fhir --against ours.json --markdown differences.md',
    'probe https://fhir.example/r4 --anywhere --token $TOKEN --junit out.xml',
  ],
  options: {
    anywhere: { type: 'boolean' },
    against: { type: 'string' },
    ...Object.fromEntries(Object.keys(FORMS).map((name) => [name, { type: 'string' as const }])),
  },
  refused: 2,
  runAlone: async (given) => {
    const [base, ...more] = given.words
    noMore(more)
    const files = filesIn(given.values)
    const against = reportIn(textOf(given.values, 'against'))
    const probed = await placeOf(base?.replace(/\/+$/, ''), given.values)
    const report = await runProbe(probed)
    given.out.result(report, linesOf(report))
    if (against !== undefined) tellDifferences(given, report, against)
    const linkOf = probed.clinic === undefined ? undefined : exchangePage
    for (const [form, file] of files) writeHere(file, FORMS[form](report, linkOf))
    process.exitCode = exitCodeFor(report)
  },
}

/** @throws UsageError where one can't be written */
function filesIn(values: Values): readonly (readonly [form: keyof typeof FORMS, file: string])[] {
  return (Object.keys(FORMS) as (keyof typeof FORMS)[]).flatMap((form) => {
    const file = textOf(values, form)
    if (file === undefined) return []
    requireWritable(file)
    return [[form, file] as const]
  })
}

/** @throws UsageError */
function reportIn(file: string | undefined): RunReport | undefined {
  if (file === undefined) return undefined
  try {
    const report = JSON.parse(readFileSync(resolve(HERE, file), 'utf8')) as RunReport
    if (Array.isArray(report.steps)) return report
    throw new Error('it has no steps')
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new UsageError(`${file} is no report such as probe --json writes: ${why}`)
  }
}

/** The sandbox is asked as its user, another server with the token that is given. @throws UsageError, Problem, Unreachable */
async function placeOf(base: string | undefined, values: Values): Promise<Probed> {
  const ours = addressOf(values)
  const isOurs = base === undefined || base === ours || base.startsWith(`${ours}/`)
  const address = base ?? ours
  requireNear(address, values.anywhere === true)
  if (!isOurs) {
    const token = textOf(values, 'token')
    return { base: address, ...(token === undefined ? {} : { token }) }
  }
  const { token, clinic } = await Server.connect(values)
  const [, as] = /\/as\/([\w-]+)$/.exec(address) ?? []
  return { base: address, token, clinic, ...(as === undefined ? {} : { as }) }
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/

/** A probe writes, so a server elsewhere is not tried by mistake. @throws UsageError */
function requireNear(base: string, anywhere: boolean): void {
  const { protocol, hostname } = URL.parse(base) ?? {}
  if (protocol !== 'http:' && protocol !== 'https:')
    throw new UsageError(`'${base}' is no address such as http://127.0.0.1:8080/fhir`)
  if (!anywhere && !LOOPBACK.test(hostname ?? ''))
    throw new UsageError(`${hostname} is not this machine, and a probe writes to the server: say --anywhere if it may`)
}

function tellDifferences({ out }: Pick<Given, 'out'>, here: RunReport, there: RunReport): void {
  const lines = reportDifferences(here, there)
  out.note(lines.length === 0 ? `Nothing is different from ${there.base}` : `Different from ${there.base}:`)
  for (const line of lines) out.note(line)
}
