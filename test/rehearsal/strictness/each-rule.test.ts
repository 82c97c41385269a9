/** Each rule of each built-in strictness profile: a request that passes, and one that is refused with what the source says. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { StrictnessProfiles } from '../../../src/rehearsal/strictness/profiles.ts'
import { visitsOn } from '../../support/appointment-operations.ts'
import { visit } from '../../support/booking.ts'
import { type FhirResponse, startServer, type TestServer } from '../../support/server.ts'
import { athena } from './examples/athena-fhir.ts'
import { epic } from './examples/epic-r4.ts'
import { type Example, type ExamplesOf, get, patient, post, type World } from './examples/example.ts'
import { oracle } from './examples/oracle-r4.ts'
import { strict } from './examples/strict-r4.ts'

const EXAMPLES: Readonly<Record<string, ExamplesOf>> = {
  'athena-fhir': athena,
  'epic-r4': epic,
  'oracle-r4': oracle,
  'strict-r4': strict,
}

const PROFILES = new StrictnessProfiles().all

let server: TestServer
let world: World
beforeAll(async () => {
  server = await startServer()
  const visits = visitsOn(server)
  await visits.open()
  world = {
    server,
    time: async () => {
      const { slot, start, end } = visit(await visits.slots())
      return { slot, start, end }
    },
    visit: async () => {
      const { body, headers } = await server.fhir('POST', '/Appointment', visit(await visits.slots()))
      return { path: `/Appointment/${body.id}`, etag: headers.get('etag') ?? '' }
    },
  }
})
afterAll(() => server.close())

const send = (profile: string, { method, path, body, headers = {} }: Example) =>
  server.fhir(method, `/as/${profile}${path}`, body, headers)

test('every built-in profile and every rule of it has examples', () => {
  const ids = PROFILES.map(({ name, rules }) => [name, rules.map(({ id }) => id).toSorted()])
  const withExamples = PROFILES.map(({ name }) => [name, Object.keys(EXAMPLES[name] ?? {}).toSorted()])
  expect(withExamples).toEqual(ids)
})

/** Responses to creates of Patients, and to searches, as the changes of profiles make them. */
const CHANGED: Readonly<Record<string, Readonly<Record<string, (sent: FhirResponse) => unknown>>>> = {
  'epic-r4': {
    'empty-search': ({ body }) => body.entry?.[0]?.search?.mode === 'outcome',
    'relative-location': ({ headers }) => /^Patient\/[\w-]+$/.test(headers.get('location') ?? ''),
    'no-etag': ({ headers }) => !headers.has('etag'),
  },
  'oracle-r4': {
    'no-body': ({ text }) => text === '',
    'unversioned-location': ({ headers }) => /\/as\/oracle-r4\/Patient\/[\w-]+$/.test(headers.get('location') ?? ''),
  },
}

describe.each(PROFILES.filter(({ changes }) => changes).map((profile) => [profile.name, profile] as const))(
  'the responses of %s',
  (name, { changes = [] }) => {
    test.each(changes.map((change) => [change.id, change] as const))('are changed by %s', async (id, { on }) => {
      const isChanged = CHANGED[name]?.[id]
      if (isChanged === undefined) throw new Error(`no example of ${id}`)
      const path = '/Patient?family=Nemo&given=Nobody&birthdate=1980-01-01'
      const [as, plain] = on?.interactions?.includes('create')
        ? [await send(name, post('/Patient', patient())), await server.fhir('POST', '/Patient', patient())]
        : [await send(name, get(path)), await server.fhir('GET', path)]
      expect([as.status, isChanged(as), isChanged(plain)]).toEqual([plain.status, true, false])
    })
  },
)

describe.each(PROFILES.map((profile) => [profile.name, profile] as const))('%s', (name, { rules }) => {
  test.each(rules.map((rule) => [rule.id, rule] as const))('%s', async (id, { answer, citation, title }) => {
    const examples = EXAMPLES[name]?.[id]
    if (examples === undefined) throw new Error(`no examples of ${id}`)
    const passed = await send(name, await examples.passes(world))
    expect([passed.status < 400, passed.text]).toEqual([true, expect.anything()])
    const refused = await send(name, await examples.refused(world))
    const [issue] = refused.body?.issue ?? []
    expect([refused.status, issue?.code, issue?.details?.coding?.[0]?.code]).toEqual([answer.status, answer.code, id])
    for (const said of [title, citation.quote, citation.address, citation.date])
      expect(issue.diagnostics).toContain(said)
  })
})
