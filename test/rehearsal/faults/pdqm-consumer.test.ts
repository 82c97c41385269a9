/**
 * The test plan of IHE PDQm for Patient Demographics Consumers, line by line: each is provoked by whom one looks for, or by a
 * fault of the catalogue, in searches (ITI-78) and by $match (ITI-119). https://profiles.ihe.net/ITI/PDQm/testplan.html
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { CATALOGUE } from '../../../src/rehearsal/faults/catalogue.ts'
import { type MagicPatient, magic } from '../../../src/rehearsal/magic/table.ts'
import { attempt, type Met } from '../../support/faults.ts'
import type { TestServer } from '../../support/server.ts'
import { patientOf, searchOf } from '../magic/doors.ts'
import { startZoo } from '../magic/zoo.ts'

let zoo: TestServer
beforeAll(async () => {
  zoo = await startZoo()
})
afterAll(() => zoo.close())

interface Line {
  readonly line: string
  /** The name of a row of the table of magic people. */
  readonly whom: string
  /** Absent: whom one looks for provokes it. */
  readonly fault?: string
  readonly check: (met: Met) => void
}

// biome-ignore lint/suspicious/noExplicitAny: bodies of every shape
const matchesIn = ({ entry = [] }: any) =>
  entry.filter(({ search }: { search: { mode: string } }) => search.mode === 'match')

const withOutcome = (severity: string) => ({
  whom: 'twins',
  fault: `outcome-in-bundle; severity=${severity}`,
  check: ({ status, body }: Met) => {
    expect([status, body.resourceType, matchesIn(body).length]).toEqual([200, 'Bundle', 2])
    const { resource, search } = body.entry.at(-1)
    expect([search.mode, resource.resourceType, resource.issue[0].severity]).toEqual([
      'outcome',
      'OperationOutcome',
      severity,
    ])
  },
})

const found = (count: number) => ({
  check: ({ status, body }: Met) => expect([status, matchesIn(body).length]).toEqual([200, count]),
})

const LINES: readonly Line[] = [
  { line: 'one match', whom: 'certain', ...found(1) },
  { line: 'several matches', whom: 'twins', ...found(2) },
  { line: 'no match', whom: 'nobody', ...found(0) },
  { line: 'a status of 4xx', whom: 'certain', fault: 'no-scope', check: ({ status }) => expect(status).toBe(403) },
  { line: 'a status of 5xx', whom: 'certain', fault: 'gateway', check: ({ status }) => expect(status).toBe(502) },
  {
    line: 'a bare OperationOutcome with an error',
    ...{ whom: 'certain', fault: 'maintenance' },
    check: ({ body }) => expect([body.resourceType, body.issue[0].severity]).toEqual(['OperationOutcome', 'error']),
  },
  { line: 'an OperationOutcome in the Bundle with an error, in spite of matches', ...withOutcome('error') },
  { line: 'an OperationOutcome in the Bundle with a warning', ...withOutcome('warning') },
  { line: 'an OperationOutcome in the Bundle with information', ...withOutcome('information') },
  {
    // The profile asks for an identifier, which a registration that was left unfinished has not.
    line: 'a Patient that violates the profile',
    whom: 'unfinished',
    check: ({ body: { entry } }) =>
      expect([entry[0].resource.id, entry[0].resource.identifier]).toEqual([ID, undefined]),
  },
  {
    line: 'an unknown extension',
    ...{ whom: 'certain', fault: 'unknown-extension' },
    check: ({ body }) => expect(matchesIn(body)[0].resource.extension[0].url).toContain('unknown'),
  },
  {
    line: 'an unknown modifierExtension',
    ...{ whom: 'certain', fault: 'unknown-modifier' },
    check: ({ body }) => expect(matchesIn(body)[0].resource.modifierExtension[0].url).toContain('unknown'),
  },
]

const ID = 'magic-unfinished'

function rowOf(whom: string): MagicPatient {
  const row = magic.patients.find(({ name }) => name === whom)
  if (row === undefined) throw new Error(`There is no magic patient '${whom}'`)
  return row
}

const asFault = (fault: string | undefined): Record<string, string> =>
  fault === undefined ? {} : { 'x-sandbox-fault': fault }

const DOORS: Readonly<Record<string, (line: Line) => Promise<Met>>> = {
  'a search (ITI-78)': ({ whom, fault }) => attempt(zoo, 'GET', searchOf(rowOf(whom).with), undefined, asFault(fault)),
  '$match (ITI-119)': ({ whom, fault }) =>
    attempt(zoo, 'POST', '/Patient/$match', patientOf(rowOf(whom).with), asFault(fault)),
}

test('the plan has twelve lines, of which the catalogue has every fault', () => {
  expect(LINES).toHaveLength(12)
  const faults = LINES.flatMap(({ fault }) => fault?.split(';')[0] ?? [])
  expect(faults.filter((fault) => !CATALOGUE.has(fault))).toEqual([])
})

describe.each(Object.entries(DOORS))('by %s', (_door, ask) => {
  test.each(LINES)('$line', async (line) => {
    const met = await ask(line)
    line.check(met)
    expect(met.label).toEqual(line.fault === undefined ? null : expect.stringMatching(/^[a-z-]+#\d+$/))
  })
})

test('docs/magic.md has each line with what provokes it', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/magic.md'), 'utf8')
  const rows = LINES.map(({ line, whom, fault }) => `| ${line} | ${rowOf(whom).who} | ${fault ? `\`${fault}\`` : ''} |`)
  expect(page).toContain(rows.join('\n'))
})
