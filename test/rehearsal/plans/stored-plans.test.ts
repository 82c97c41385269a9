/** The plans that a clinic stores itself. */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type Rehearsed, startRehearsed } from '../rehearsed.ts'

let clinic: Rehearsed
beforeAll(async () => {
  clinic = await startRehearsed()
})
afterAll(() => clinic.server.close())

const put = (name: string) =>
  clinic.ask('PUT', `/plans/${name}`, {
    ...{ plan: name, title: 'Tried', version: '1.0.0', description: 'A plan of a test' },
    steps: [{ id: 'look', title: 'Looks', source: 'https://hl7.org/fhir/R4/http.html', attest: 'It looked' }],
  })

test('are 50 at most, also where 60 are sent at once, and one that is deleted makes room for another', async () => {
  const answers = await Promise.all(Array.from({ length: 60 }, (_, n) => put(`plan-${n}`)))
  const statuses = answers.map(({ status }) => status)
  expect([201, 409].map((status) => statuses.filter((one) => one === status).length)).toEqual([50, 10])
  const { body } = await clinic.ask('GET', '/plans')
  const own: readonly string[] = body.plans
    .filter(({ builtIn }: { builtIn?: true }) => !builtIn)
    .map(({ plan }: { plan: string }) => plan)
  expect(own).toHaveLength(50)
  expect((await put('one-more')).status).toBe(409)
  expect((await put(own[0] ?? '')).status).toBe(200)
  expect((await clinic.ask('DELETE', `/plans/${own[0]}`)).status).toBe(204)
  expect((await put('one-more')).status).toBe(201)
})
