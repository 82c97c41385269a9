/** The topics as data: what the loader refuses, how triggers and filters decide, and what is told of topics. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { topicCriteria } from '../../src/events/topic-criteria.ts'
import { topicResource } from '../../src/events/topic-resource.ts'
import { contextOf, loadTopic, readTopic, topicAt, topicOf, topics } from '../../src/events/topics.ts'
import { validate } from '../../src/fhir/validate/validate.ts'
import { newFolder } from '../support/run.ts'
import { versionOf } from './versions.ts'

const ROOT = join(import.meta.dirname, '../..')

const TRIGGER = { resource: 'Task', supportedInteraction: ['create', 'update'] }

const defined = (more: object = {}) => ({
  resourceType: 'SubscriptionTopic',
  id: 'mine',
  url: 'http://example.org/SubscriptionTopic/mine',
  title: 'Mine',
  description: 'A topic of mine',
  status: 'active',
  resourceTrigger: [TRIGGER],
  ...more,
})

const triggered = (more: object) => defined({ resourceTrigger: [{ ...TRIGGER, ...more }] })

describe('the loader of topics', () => {
  test.each<[string, unknown, RegExp]>([
    ['another type', { ...defined(), resourceType: 'Basic' }, /mine\.json: it is no SubscriptionTopic/],
    ['a list', [defined()], /it is no SubscriptionTopic/],
    ['no url', defined({ url: undefined }), /it has no url/],
    ['an empty title', defined({ title: '' }), /it has no title/],
    ['another id than its file', defined({ id: 'other' }), /its id is 'other', and not the name of the file/],
    ['a draft', defined({ status: 'draft' }), /its status is not 'active'/],
    ['no trigger', defined({ resourceTrigger: [] }), /it has no resourceTrigger/],
    ['a trigger that is a text', defined({ resourceTrigger: ['Task'] }), /resourceTrigger\[0\] is no object/],
    ['an unknown type', triggered({ resource: 'Tusk' }), /names the resource 'Tusk', which R4 does not have/],
    ['an unknown interaction', triggered({ supportedInteraction: ['read'] }), /must have supportedInteraction/],
    ['an unknown parameter', triggered({ queryCriteria: { current: 'colour=red' } }), /criteria that cannot be used/],
    ['a chain', triggered({ queryCriteria: { current: 'patient.name=Ruth' } }), /depend on other resources/],
    ['a lookup', triggered({ queryCriteria: { current: 'code:in=http://x.org/set' } }), /looked up elsewhere/],
    ['a broken expression', triggered({ fhirPathCriteria: '%current.(' }), /fhirPathCriteria that cannot be used/],
    ['an unknown variable', triggered({ fhirPathCriteria: '%before.exists()' }), /variable %before is not known/],
    ['both criteria', triggered({ queryCriteria: {}, fhirPathCriteria: 'true' }), /one of them decides/],
    ['a filter by nothing', defined({ canFilterBy: [{ filterParameter: 'colour' }] }), /cannot be searched/],
    ['a filter of another type', defined({ canFilterBy: [{ resource: 'Slot' }] }), /Slot, which triggers nothing/],
    ['an include of a token', defined({ notificationShape: [{ include: ['Task:status'] }] }), /no reference of Task/],
  ])('refuses %s and names the fault', (_what, definition, fault) => {
    expect(() => loadTopic(definition, 'mine.json')).toThrow(fault)
  })

  test('names the file of a topic that an extension reads, and the field', () => {
    const folder = newFolder()
    const file = (name: string, text: string): string => {
      writeFileSync(join(folder, name), text)
      return join(folder, name)
    }
    const broken = file('broken.json', '{"id":')
    expect(() => readTopic(broken)).toThrow(`The topic ${broken} cannot be read: `)
    const other = file('other.json', JSON.stringify(defined()))
    expect(() => readTopic(other)).toThrow(`The topic ${other}: its id is 'mine', and not the name of the file`)
    const mine = file('mine.json', JSON.stringify(defined({ status: 'draft' })))
    expect(() => topicOf(readTopic(mine))).toThrow(`The topic ${mine}: its status is not 'active'`)
  })

  test('takes all that the server ships, each with an address of its own', () => {
    expect(topics().length).toBe(14)
    expect(new Set(topics().map(({ url }) => url)).size).toBe(14)
    for (const { url } of topics()) expect(topicAt(url)?.url).toBe(url)
  })

  test('finds a topic with its version, and not with another one', () => {
    const [{ url } = { url: '' }] = topics()
    expect(topicAt(`${url}|1.0.0`)?.url).toBe(url)
    expect(topicAt(`${url}|2.0.0`)).toBeUndefined()
    expect(topicAt('Task?status=requested')).toBeUndefined()
  })
})

describe('a trigger', () => {
  const task = (status: string) => versionOf({ resourceType: 'Task', id: '1', status, intent: 'order' } as never)

  test('decides a creation by resultForCreate, and a deletion by resultForDelete', () => {
    const previous = 'status=completed'
    const decided = (more: object) =>
      loadTopic(
        triggered({
          supportedInteraction: ['create', 'update', 'delete'],
          queryCriteria: { previous, current: 'status=requested', ...more },
        }),
        'mine.json',
      ).matches
    const created = { type: 'Task', current: task('requested') }
    const deleted = { type: 'Task', previous: task('completed') }
    expect(decided({ resultForCreate: 'test-passes' })(created)).toBe(true)
    expect(decided({ resultForCreate: 'test-fails' })(created)).toBe(false)
    expect(decided({ resultForDelete: 'test-passes' })(deleted)).toBe(true)
    expect(decided({})(deleted)).toBe(false)
  })

  test('is met by one of its criteria where requireBoth is false', () => {
    const criteria = { previous: 'status=completed', current: 'status=requested' }
    const change = { type: 'Task', previous: task('completed'), current: task('rejected') }
    const matches = (requireBoth: boolean) =>
      loadTopic(triggered({ queryCriteria: { ...criteria, requireBoth } }), 'mine.json').matches(change)
    expect([matches(true), matches(false)]).toEqual([false, true])
  })

  test('has %previous and %current, and an absent version is empty', () => {
    const topic = loadTopic(
      triggered({ fhirPathCriteria: "%previous.empty() and %current.status = 'requested'" }),
      'mine.json',
    )
    expect(topic.matches({ type: 'Task', current: task('requested') })).toBe(true)
    expect(topic.matches({ type: 'Task', previous: task('draft'), current: task('requested') })).toBe(false)
  })

  test('is not met by an interaction that it does not support, or by another type', () => {
    const topic = loadTopic(triggered({ supportedInteraction: ['update'] }), 'mine.json')
    expect(topic.matches({ type: 'Task', current: task('requested') })).toBe(false)
    expect(topic.matches({ type: 'Slot', previous: task('draft'), current: task('requested') })).toBe(false)
    expect(topic.matches({ type: 'Task', previous: task('draft'), current: task('requested') })).toBe(true)
  })

  test('does not fail on a resource with absent primitives', () => {
    const absent = {
      resourceType: 'Appointment',
      id: '1',
      status: 'booked',
      _start: {
        extension: [{ url: 'http://hl7.org/fhir/StructureDefinition/data-absent-reason', valueCode: 'unknown' }],
      },
      slot: [{ display: 'the usual time' }],
      participant: [{ status: 'accepted' }],
    }
    const met = (previous?: object) =>
      topics()
        .filter(({ matches }) =>
          matches({
            type: 'Appointment',
            current: versionOf(absent),
            ...(previous && { previous: versionOf(previous as typeof absent) }),
          }),
        )
        .map(({ id }) => id)
    expect(met()).toEqual(['appointment-booked'])
    expect(met({ ...absent, status: 'proposed' })).toEqual(['appointment-booked'])
    expect(met(absent)).toEqual([])
  })
})

describe('a topic as a resource', () => {
  test.each(topics().map((topic) => [topic.id, topic] as const))('is a valid Basic: %s', (_id, topic) => {
    const basic = topicResource(topic)
    expect(validate(basic)).toEqual([])
    const url = basic.extension?.find((one) => one.url.endsWith('SubscriptionTopic.url'))
    expect(url?.valueUri).toBe(topic.url)
    expect(basic.code.coding?.[0]?.code).toBe('SubscriptionTopic')
  })

  test('has an extension for each trigger and each filter', () => {
    const [topic] = topics().filter(({ id }) => id === 'appointment-booked')
    const all = topic === undefined ? [] : (topicResource(topic).extension ?? [])
    const named = (name: string) => all.filter(({ url }) => url.endsWith(`SubscriptionTopic.${name}`))
    expect(named('canFilterBy').length).toBe(topic?.filters.length)
    const [query] = named('resourceTrigger')[0]?.extension?.filter(({ url }) => url === 'queryCriteria') ?? []
    expect(query?.extension).toContainEqual({ url: 'requireBoth', valueBoolean: true })
    expect(query?.extension).toContainEqual({ url: 'current', valueString: 'status=booked' })
  })
})

test('a notification has what its focus refers to, once', () => {
  const topic = topicAt('https://sandbox-emr.example/fhir/SubscriptionTopic/appointment-booked')
  const participant = ['Patient/1', 'Practitioner/2', 'Patient/1', 'http://elsewhere.org/fhir/Patient/3', '#inner']
  const visit = {
    resourceType: 'Appointment',
    id: '1',
    participant: participant.map((reference) => ({ actor: { reference }, status: 'accepted' })),
  }
  expect(topic && contextOf(topic, versionOf(visit))).toEqual(['Patient/1', 'Practitioner/2'])
})

test('criteria that a search would refuse are refused with its sentence', () => {
  expect(() => topicCriteria('Task', 'status=requested&_sort=due')).toThrow(/_sort/)
  expect(() => topicCriteria('Task', '')).toThrow(/empty/)
  expect(() => topicCriteria('Task', '_has:Provenance:target:agent=Device/1')).toThrow(/other resources/)
})

test('docs/topics.md has a row for each topic, with its title, types and filters', () => {
  const page = readFileSync(join(ROOT, 'docs/topics.md'), 'utf8')
  const rows = topics().map(
    ({ id, title, types, filters }) =>
      `| \`${id}\` | ${title} | ${types.join(', ')} | ${filters.map(({ parameter }) => `\`${parameter}\``).join(' ')} |`,
  )
  expect(page.split('\n').filter((line) => /^\| `[a-z-]+` \| [A-Z].* \| [A-Z][\w, ]+ \| `/.test(line))).toEqual(rows)
})

test('every file among the topics is a topic', () => {
  expect(readdirSync(join(ROOT, 'resources/topics')).toSorted()).toEqual(
    topics()
      .map(({ id }) => `${id}.json`)
      .toSorted(),
  )
})
