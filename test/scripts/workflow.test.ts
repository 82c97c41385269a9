/** The workflow of docs/ci.md: its command line runs, and what it uploads is there. */
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { junitProblems } from '../rehearsal/reports/junit-schema.ts'
import { request, startServer, type TestServer } from '../support/server.ts'

const ROOT = join(import.meta.dirname, '../..')
const [, WORKFLOW = ''] = /```yaml\n(.*?)```/s.exec(readFileSync(join(ROOT, 'docs/ci.md'), 'utf8')) ?? []

let server: TestServer
let folder: string
beforeAll(async () => {
  server = await startServer()
  folder = mkdtempSync(join(tmpdir(), 'workflow-'))
  symlinkSync(ROOT, join(folder, 'sandbox-emr'))
})
afterAll(async () => {
  await server.close()
  rmSync(folder, { recursive: true, force: true })
})

test('is indented by twos, without tabs, and each of its steps does something', () => {
  const lines = WORKFLOW.split('\n').filter((one) => one !== '')
  expect(lines.filter((one) => !/^( {2})*\S/.test(one) || one.includes('\t'))).toEqual([])
  const steps = WORKFLOW.split(/^ {6}- /m).slice(1)
  expect(steps.filter((step) => !/^ {0,8}(uses|run): \S/m.test(step))).toEqual([])
})

test('judges the client of the repository in which it runs, and writes there what is uploaded', async () => {
  const [, command = ''] = /run: (npm .* sandbox -- run .*)$/m.exec(WORKFLOW) ?? []
  const plan = {
    ...{ plan: 'in-workflow', title: 'In a workflow', version: '1.0.0', description: 'A plan of a test' },
    steps: [
      { id: 'none', title: 'Reads nobody', source: 'https://hl7.org/fhir/R4/http.html', never: { type: 'Patient' } },
    ],
  }
  const headers = { authorization: `Bearer ${await server.login('admin', 'admin')}` }
  await request(server.url, 'PUT', '/clinics/demo-clinic/plans/in-workflow', plan, headers)
  // In place of the tests of a client: it says where it runs.
  const script = command.replace('booking-lifecycle', 'in-workflow').replace(/npm test$/, 'pwd')
  const env = { ...process.env, SANDBOX_URL: server.url }
  const { code, stdout } = await new Promise<{ code: unknown; stdout: string }>((resolve) => {
    execFile('sh', ['-c', script], { cwd: folder, env }, (error, out) =>
      resolve({ code: error?.code ?? 0, stdout: out }),
    )
  })
  expect([code, stdout.split('\n').includes(folder)]).toEqual([0, true])
  const uploaded = [...WORKFLOW.matchAll(/^ {12}(\S+\.xml)$/gm)].map(([, name = '']) => name)
  expect(uploaded.map((name) => junitProblems(readFileSync(join(folder, name), 'utf8')))).toEqual([[]])
  expect(readFileSync(join(folder, 'out.md'), 'utf8')).toContain('### In a workflow: pass')
})
