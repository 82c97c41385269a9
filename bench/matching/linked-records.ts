/**
 * Sets of records with their true links, as the FEBRL record-linkage sets are kept: NAME.csv (or NAMEa.csv and NAMEb.csv)
 * with a record in each line, and NAME_links.csv with the pairs of rec_id that are one person.
 */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Patient } from 'fhir/r4'

/** By column. */
type Row = Readonly<Record<string, string>>

export interface LinkedRecord {
  readonly id: string
  /** One for each person. */
  readonly person: string
  readonly row: Row
}

export interface LinkedSet {
  readonly name: string
  /** The records that a clinic has: the originals. */
  readonly stored: readonly LinkedRecord[]
  /** The others, which contain mistakes: the queries. */
  readonly asked: readonly LinkedRecord[]
}

const LINKS = '_links.csv'

/** @throws Error where the folder has no such set, or a set is not complete */
export function readLinkedSets(folder: string): readonly LinkedSet[] {
  const names = globSync(`*${LINKS}`, { cwd: folder })
    .map((file) => basename(file, LINKS))
    .toSorted()
  if (names.length === 0) throw new Error(`${folder} has no file NAME${LINKS}; give the folder of such sets by --data`)
  return names.map((name) => readLinkedSet(folder, name))
}

function readLinkedSet(folder: string, name: string): LinkedSet {
  const files = [[name], [`${name}a`, `${name}b`]].find((parts) =>
    parts.every((part) => existsSync(join(folder, `${part}.csv`))),
  )
  if (files === undefined) throw new Error(`${folder} has no file ${name}.csv, nor ${name}a.csv and ${name}b.csv`)
  const parts = files.map((file) => readRows(join(folder, `${file}.csv`)))
  const personOf = personsOf(readLines(join(folder, name + LINKS)))
  const records = parts.map((rows) =>
    rows.map((row): LinkedRecord => {
      const id = row['rec_id'] ?? ''
      return { id, person: personOf(id), row }
    }),
  )
  const [stored = [], asked] = records
  return asked === undefined ? { name, ...divided(stored) } : { name, stored, asked }
}

/** Divides the records: one per person is stored, the original where the ids tell which; the others are queries. */
function divided(records: readonly LinkedRecord[]): Pick<LinkedSet, 'stored' | 'asked'> {
  const originals = new Map<string, LinkedRecord>()
  for (const record of records) {
    if (!originals.has(record.person) || record.id.endsWith('-org')) originals.set(record.person, record)
  }
  const stored = [...originals.values()]
  const ids = new Set(stored.map(({ id }) => id))
  return { stored, asked: records.filter(({ id }) => !ids.has(id)) }
}

/** Records that are linked, if by way of others, have the same person. */
function personsOf(links: readonly (readonly string[])[]): (id: string) => string {
  const linkedTo = new Map<string, string>()
  const personOf = (id: string): string => {
    const next = linkedTo.get(id)
    return next === undefined ? id : personOf(next)
  }
  for (const [one = '', other = ''] of links) {
    const [mine, theirs] = [personOf(one), personOf(other)]
    if (mine !== theirs) linkedTo.set(mine, theirs)
  }
  return personOf
}

function readRows(file: string): readonly Row[] {
  const [columns = [], ...lines] = readLines(file)
  return lines.map((values) => Object.fromEntries(columns.map((column, index) => [column, values[index] ?? ''])))
}

const readLines = (file: string): readonly (readonly string[])[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => line.split(',').map((value) => value.trim()))

/** The parts of a record in a query. */
export type Part = 'name' | 'birthDate' | 'address' | 'identifier'

export const ALL_PARTS: readonly Part[] = ['name', 'birthDate', 'address', 'identifier']

/** The record as a Patient with these parts. */
export function patientOf({ row }: LinkedRecord, parts: readonly Part[]): Patient {
  const patient: Patient = { resourceType: 'Patient' }
  for (const part of parts) Object.assign(patient, PARTS[part](row))
  return patient
}

const PARTS: Readonly<Record<Part, (row: Row) => Partial<Patient>>> = {
  name: ({ given_name: given, surname: family }) =>
    given || family ? { name: [{ ...(family ? { family } : {}), ...(given ? { given: [given] } : {}) }] } : {},
  birthDate: ({ date_of_birth: date = '' }) =>
    isDate(date) ? { birthDate: `${date.slice(0, 4)}-${date.slice(4, 6)}-${date.slice(6)}` } : {},
  address: (row) => {
    const { suburb: city, postcode: postalCode, state } = row
    const line = [`${row['street_number'] ?? ''} ${row['address_1'] ?? ''}`.trim(), row['address_2'] ?? '']
    const address = {
      ...(line.some(Boolean) ? { line: line.filter(Boolean) } : {}),
      ...(city ? { city } : {}),
      ...(postalCode ? { postalCode } : {}),
      ...(state ? { state } : {}),
    }
    return Object.keys(address).length === 0 ? {} : { address: [address] }
  },
  identifier: ({ soc_sec_id: value }) => (value ? { identifier: [{ system: 'urn:example:soc-sec', value }] } : {}),
}

/** Whether the text has eight digits and is in the calendar; a date with a mistake may not be. */
function isDate(text: string): boolean {
  if (!/^\d{8}$/.test(text)) return false
  const [year, month, day] = [text.slice(0, 4), text.slice(4, 6), text.slice(6)].map(Number)
  const date = new Date(Date.UTC(year ?? 0, (month ?? 0) - 1, day))
  return year !== 0 && date.getUTCMonth() + 1 === month && date.getUTCDate() === day
}
