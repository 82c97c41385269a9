/**
 * The magic people and values: whom a rehearsal names decides what happens, as a voice platform cannot add a header to one
 * call. One table, resources/magic.json, is the source of the data, of the simulators, of GET /magic and of docs/magic.md.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AnyResource } from '../../fhir/resource.ts'

export interface MagicRow {
  readonly name: string
  readonly who: string
  /** The one that is meant: `Patient/magic-certain`; absent: there is none, or more than one. */
  readonly resource?: string
  /** The scenario in which the row holds; `any` where it holds in each. */
  readonly scenario: string
  readonly what: string
  /** How to reach it: parts of a name, a birth date, a phone, a member id, an e-mail address. */
  readonly with: Readonly<Record<string, string>>
  /** The outcome, by the door that one goes in by: docs/magic.md. */
  readonly expect: Readonly<Record<string, unknown>>
}

export interface MagicPatient extends MagicRow {
  /** The Patients that make the row true, as a scenario has them. */
  readonly resources?: readonly (AnyResource & { readonly id: string })[]
  /** Given names of people of one family name, separated by spaces. */
  readonly namesakes?: string
}

export interface MagicTable {
  /** Semantic version: a row is changed or removed in a major one only. */
  readonly version: string
  readonly patients: readonly MagicPatient[]
  readonly practitioners: readonly MagicRow[]
  readonly values: readonly MagicRow[]
}

const FILE = join(import.meta.dirname, '../../../resources/magic.json')

export const magic = JSON.parse(readFileSync(FILE, 'utf8')) as MagicTable
