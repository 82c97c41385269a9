/** An extension that adds a search parameter to a store that holds data: they are indexed by it in the background. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { newLastingDatabaseUrl } from '../support/database.ts'
import { endProcessesAfterEach, stop } from '../support/server-process.ts'
import { makeClinic, newProject, SECRETS, staffOf, startIn } from './outside.ts'

endProcessesAfterEach()

test('a search by it is 503 until what was stored before is indexed, then it finds that too', async () => {
  const folder = newProject()
  // Neither demo data nor a login: the first search comes before the index is looked at.
  const env = { DATABASE_URL: await newLastingDatabaseUrl(), DEMO: 'off', ...SECRETS }
  const called = (nickname: string) => ({ resourceType: 'Patient', name: [{ use: 'nickname', given: [nickname] }] })

  const before = await startIn(folder, env)
  await makeClinic('some-clinic', before)
  const fhir = staffOf('some-clinic', before)
  const { body } = await fhir('POST', '/Patient', called('Bo'))
  expect((await fhir('GET', '/Patient?nickname=Bo')).status).toBe(400)
  await stop(before, 'SIGTERM')

  const after = await startIn(folder, { ...env, EXTENSIONS: 'patient-nickname.ts' })
  const extended = staffOf('some-clinic', after)
  const search = () => extended('GET', '/Patient?nickname=Bo')
  const early = await search()
  expect(early.status).toBe(503)
  expect(early.body.issue[0].diagnostics).toContain('Patient?nickname')
  expect((await extended('POST', '/Patient', called('Ann'))).status).toBe(201)
  for (const deadline = Date.now() + 40_000; (await search()).status === 503 && Date.now() < deadline; )
    await sleep(100)
  expect((await search()).body.entry.map(({ resource }: { resource: { id: string } }) => resource.id)).toEqual([
    body.id,
  ])
  expect((await extended('GET', '/Patient?nickname=Ann')).body.entry).toHaveLength(1)
})
