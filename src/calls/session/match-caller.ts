/** Which real patients of the clinic match the name or the phone number that a caller states. */
import type { Patient } from 'fhir/r4'
import type { Context } from '../../core/context.ts'
import { comparePhones, telecom } from '../../matching/compare.ts'
import type { PersonName } from '../../matching/names.ts'
import { phoneSpellings } from '../../matching/phones.ts'
import { isReal } from '../record/registration.ts'
import { hasStatedName, isOneWord, statedName } from '../spoken/stated-name.ts'

export interface StatedIdentity {
  readonly name?: string
  /** In the form of spokenPhone. */
  readonly phone?: string
  /** Of the clinic: how a phone number without a country code is read. */
  readonly region?: string
}

export interface CallerMatch {
  /** Patient.id of everyone who matches by name or phone, those who match by both first. */
  readonly candidates: readonly string[]
  readonly matchedBy: readonly ('name' | 'phone')[]
  /** A code of http://hl7.org/fhir/ValueSet/match-grade; without a birth date nothing is certain. */
  readonly grade: 'probable' | 'possible' | 'certainly-not'
}

export async function matchCaller(ctx: Context, stated: StatedIdentity): Promise<CallerMatch> {
  const byName = stated.name === undefined ? [] : await withName(ctx, stated.name)
  const byPhone = stated.phone === undefined ? [] : await withPhone(ctx, stated.phone, stated.region)
  const both = byName.filter((id) => byPhone.includes(id))
  const candidates = [...new Set([...both, ...byName, ...byPhone])]
  return {
    candidates,
    matchedBy: [...(byName.length > 0 ? (['name'] as const) : []), ...(byPhone.length > 0 ? (['phone'] as const) : [])],
    grade: gradeOf(candidates.length, both.length),
  }
}

function gradeOf(candidates: number, matchingBoth: number): CallerMatch['grade'] {
  if (candidates === 0) return 'certainly-not'
  return candidates === 1 && matchingBoth === 1 ? 'probable' : 'possible'
}

/** Patients that one search compares; a single word may begin many names. */
const MAX_FOUND = 200

/** Ids of the real patients among those that `query` finds and `matches` confirms. */
async function realPatients(
  ctx: Context,
  query: string,
  matches: (patient: Patient) => boolean,
): Promise<readonly string[]> {
  const found = await ctx.search<Patient>('Patient', `${query}&_count=${MAX_FOUND}`)
  return found.filter(({ resource }) => isReal(resource) && matches(resource)).map(({ id }) => id)
}

async function withName(ctx: Context, text: string): Promise<readonly string[]> {
  const stated = statedName(text)
  const found: string[] = []
  for (const query of nameQueries(stated)) {
    found.push(...(await realPatients(ctx, query, (patient) => hasStatedName(stated, patient))))
  }
  return [...new Set(found)]
}

/** By family and given name in either order, and by names that are text only. Folded words need no escaping. */
function nameQueries(stated: readonly PersonName[]): readonly string[] {
  if (stated.length === 0) return []
  if (isOneWord(stated)) return [`name=${listOf(stated.map(({ family }) => family))}`]
  const inOrder = stated.map(({ family, given }) => [given.join(' '), family] as const)
  const orders = [...inOrder, ...inOrder.map(([head, tail]) => [tail, head] as const)]
  const families = orders.map(([, family]) => family)
  const givens = orders.map(([given]) => given.split(' ')[0] ?? '')
  const texts = orders.flatMap(([given, family]) => [`${given} ${family}`, `${given.split(' ')[0]} ${family}`])
  return [`family=${listOf(families)}&given=${listOf(givens)}`, `name=${listOf(texts)}`]
}

const withPhone = (ctx: Context, phone: string, region: string | undefined): Promise<readonly string[]> =>
  realPatients(
    ctx,
    `phone=${listOf(phoneSpellings(phone))}`,
    (patient) => comparePhones([phone], telecom(patient, 'phone'), region) === 'agree',
  )

const listOf = (values: readonly string[]): string => Array.from(new Set(values), encodeURIComponent).join(',')
