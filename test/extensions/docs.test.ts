/** The programs of docs/extending.md run as they are pasted, in a project of somebody else. */
import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from '@jest/globals'
import { newProject } from './outside.ts'

const PAGE = readFileSync(join(import.meta.dirname, '../../docs/extending.md'), 'utf8')

/** A project with the block of the page that is to be this file. */
function projectWith(file: string): string {
  const folder = newProject()
  const [, text] = new RegExp(`^\`\`\`ts file=${file}\\n(.*?)^\`\`\``, 'ms').exec(PAGE) ?? []
  writeFileSync(join(folder, file), text ?? '')
  return folder
}

/** Milliseconds after which a program is ended, so that none is left over. */
const LONGEST_RUN = 40_000

test('the test of an extension passes', async () => {
  const cwd = projectWith('flag-subject.test.ts')
  const { stdout } = await promisify(execFile)(process.execPath, ['--test', '--test-reporter=tap'], { cwd })
  expect(stdout).toContain('# pass 1')
})

test('the program serves the extension, and ends on SIGTERM', async () => {
  const env = { ...process.env, PORT: '0', DATABASE_URL: 'sqlite::memory:', LOG_LEVEL: 'silent' }
  const options = { cwd: projectWith('server.ts'), env, timeout: LONGEST_RUN, killSignal: 'SIGKILL' as const }
  const running = promisify(execFile)(process.execPath, ['server.ts'], options)
  const url = await new Promise<string>((resolve) => {
    running.child.stdout?.once('data', (text) => resolve(/http:\S+/.exec(String(text))?.[0] ?? ''))
  })
  expect(await (await fetch(`${url}/metadata`)).text()).toContain('example-patient-age')
  running.child.kill('SIGTERM')
  expect((await running).stderr).toBe('')
})
