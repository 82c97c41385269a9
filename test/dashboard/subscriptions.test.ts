/** Subscriptions as the form makes them and the page reads them, topics, and jobs in words. */
import { describe, expect, test } from '@jest/globals'
import type { Basic, Subscription } from 'fhir/r4'
import type { Job, JobFile } from '../../dashboard/api/jobs.ts'
import {
  contentOf,
  filtersOf,
  limitProblem,
  limitsOf,
  subscriptionFrom,
  subscriptionTitle,
  typesOf,
} from '../../dashboard/fhir/subscriptions.ts'
import { topicIn } from '../../dashboard/fhir/topics.ts'
import { nameOfFile, pathIn, sizeText, titleOf } from '../../dashboard/pages/exports/job-words.ts'
import { backportChannel } from '../../src/events/backport.ts'
import { topicResource } from '../../src/events/topic-resource.ts'
import { topics } from '../../src/events/topics.ts'

const FIELDS = {
  ...{ kind: 'criteria', topic: '', filters: '', criteria: ' Patient?family=x ', channel: 'rest-hook', content: '' },
  ...{ endpoint: ' https://example.org ', headers: '\nAuthorization: x\n\n', reason: 'why' },
}

describe('a Subscription of the form', () => {
  test('by criteria has no payload where nothing is to be sent, and its headers line by line', () => {
    expect(subscriptionFrom(FIELDS, 'one')).toEqual({
      ...{ resourceType: 'Subscription', id: 'one', status: 'requested', reason: 'why', criteria: 'Patient?family=x' },
      channel: { type: 'rest-hook', endpoint: 'https://example.org', header: ['Authorization: x'] },
    })
  })

  test('by e-mail has an address that begins with mailto, once', () => {
    for (const endpoint of ['desk@example.org', 'mailto:desk@example.org ']) {
      const { channel } = subscriptionFrom({ ...FIELDS, channel: 'email', endpoint }, 'one')
      expect(channel).toEqual({ type: 'email', endpoint: 'mailto:desk@example.org' })
    }
    expect(subscriptionFrom({ ...FIELDS, channel: 'websocket' }, 'one').channel).toEqual({ type: 'websocket' })
  })

  test('to a topic is read back with its filters, content and title', () => {
    const fields = { ...FIELDS, kind: 'topic', topic: 'https://t/booked', content: 'id-only', filters: 'a=1\n b=2 ' }
    const made = subscriptionFrom(fields, 'one')
    expect(filtersOf(made)).toEqual(['a=1', 'b=2'])
    expect(contentOf(made)).toBe('The ids of the resources')
    const known = [{ url: 'https://t/booked', title: 'Booked', description: '', types: [], filters: [] }]
    expect(subscriptionTitle(made, known)).toBe('Booked')
    expect(subscriptionTitle(made)).toBe('https://t/booked')
    expect(typesOf(made, topics())).toEqual([])
    expect(typesOf({ ...made, criteria: 'Patient?family=x' })).toEqual(['Patient'])
    const [topic] = topics()
    expect(typesOf({ ...made, criteria: topic?.url ?? '' }, topics())).toEqual(topic?.types)
  })
})

describe('the limits of a Subscription of the form', () => {
  const limits = { heartbeat: '60', timeout: ' 5', maxCount: '10', end: '2027-01-01T10:00:00+01:00' }
  const asked = { ...FIELDS, ...limits, kind: 'topic', topic: 'https://t/booked', content: 'id-only' }

  test('are those of its channel, as extensions, and are read back', () => {
    const made = subscriptionFrom(asked, 'one')
    expect(made.end).toBe(limits.end)
    expect(limitsOf(made)).toEqual([
      ['Heartbeat after seconds', '60'],
      ['Seconds to respond', '5'],
      ['Most events at once', '10'],
    ])
    expect(backportChannel(made)).toMatchObject({ heartbeat: 60, timeout: 5, maxCount: 10 })
    const mailed = subscriptionFrom({ ...asked, channel: 'email' }, 'one')
    expect(limitsOf(mailed).map(([label]) => label)).toEqual(['Most events at once'])
    expect(subscriptionFrom({ ...asked, maxCount: '', channel: 'email' }, 'one').channel.extension).toBeUndefined()
  })

  test('are for topics alone; an end is for both', () => {
    const made = subscriptionFrom({ ...asked, kind: 'criteria' }, 'one')
    expect([made.end, limitsOf(made)]).toEqual([limits.end, []])
  })

  test.each([
    ['heartbeat', '9'],
    ['heartbeat', '2678401'],
    ['timeout', '0'],
    ['timeout', '1.5'],
    ['maxCount', '101'],
    ['maxCount', '-1'],
    ['maxCount', 'many'],
  ] as const)('%s is not %s, and the server says so too', (name, text) => {
    expect(limitProblem(name, text)).toMatch(/^A whole number from/)
    const made = subscriptionFrom({ ...asked, [name]: text }, 'one')
    if (Number.isInteger(Number(text))) expect(() => backportChannel(made)).toThrow(/must have one whole number/)
  })

  test('may be left out', () => {
    expect(limitProblem('timeout', '')).toBeUndefined()
    expect(limitsOf(subscriptionFrom({ ...asked, heartbeat: '', timeout: '', maxCount: '' }, 'one'))).toEqual([])
  })
})

test('a Subscription without criteria or a known content is shown all the same', () => {
  const bare = { resourceType: 'Subscription', channel: {} } as Subscription
  expect([subscriptionTitle(bare), contentOf(bare), filtersOf(bare)]).toEqual([
    'A Subscription',
    'Nothing: an empty request',
    [],
  ])
})

test('each topic of the server is read from its Basic with its title, types and filters', () => {
  for (const topic of topics()) {
    const found = topicIn(topicResource(topic))
    expect(found).toMatchObject({ url: topic.url, title: topic.title, description: topic.description })
    expect(found?.types).toEqual(topic.types)
    expect(found?.filters.map(({ parameter }) => parameter)).toEqual(topic.filters.map(({ parameter }) => parameter))
  }
  expect(topicIn({ resourceType: 'Basic', code: {} } as Basic)).toBeUndefined()
})

test.each([
  ['$export?_type=Patient', 'Export of all data'],
  ['Patient/$export', 'Export of patients'],
  ['Group/g/$export', 'Export of a group'],
])('the job of %s is an %s', (path, title) => {
  const job = { id: 'j', kind: 'export', url: 'https://x/emr/jobs/j', request: `https://x/emr/${path}` } as Job
  expect([pathIn(job), titleOf(job)]).toEqual([path, title])
})

test('files have names that say what they hold, and sizes in words', () => {
  const file = { type: 'Patient', holds: 'output', count: 1, size: 1 } as JobFile
  expect(nameOfFile('https://x/jobs/j/files/3', file)).toBe('Patient-3.ndjson')
  expect(nameOfFile('https://x/jobs/j/files/4', { ...file, holds: 'deleted' })).toBe('deletions-4.ndjson')
  expect([0, 999, 1_000, 1_234_567, 5e12].map(sizeText)).toEqual([
    '0 bytes',
    '999 bytes',
    '1.0 kB',
    '1.2 MB',
    '5000.0 GB',
  ])
})
