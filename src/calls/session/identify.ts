/** Which real patients of the clinic the stated name or phone belongs to. */
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
  /** Of the clinic: how a number without a country is read. */
  readonly region?: string
}

export interface Identity {
  /** Patient.id of everybody who matches by name or phone, those who match by both first. */
  readonly candidates: readonly string[]
  readonly matchedBy: readonly ('name' | 'phone')[]
  /** A code of http://hl7.org/fhir/ValueSet/match-grade; without a birth date nothing is certain. */
  readonly grade: 'probable' | 'possible' | 'certainly-not'
}

export async function identify(ctx: Context, stated: StatedIdentity): Promise<Identity> {
  const byName = stated.name === undefined ? [] : await withName(ctx, stated.name)
  const byPhone = stated.phone === undefined ? [] : await withPhone(ctx, stated.phone, stated.region)
  const both = byName.filter((id) => byPhone.includes(id))
  const candidates = [...new Set([...both, ...byName, ...byPhone])]
  return {
    candidates,
    matchedBy: [...(byName.length > 0 ? (['name'] as const) : []), ...(byPhone.length > 0 ? (['phone'] as const) : [])],
    grade:
      candidates.length === 0
        ? 'certainly-not'
        : both.length === 1 && candidates.length === 1
          ? 'probable'
          : 'possible',
  }
}

/** Patients that a search looks through at most; a single word may begin many names. */
const MOST_FOUND = 200

/** Ids of the real patients among those that `query` finds and `same` confirms. */
async function realPatients(
  ctx: Context,
  query: string,
  same: (patient: Patient) => boolean,
): Promise<readonly string[]> {
  const found = await ctx.search<Patient>('Patient', `${query}&_count=${MOST_FOUND}`)
  return found.filter(({ resource }) => isReal(resource) && same(resource)).map(({ id }) => id)
}

async function withName(ctx: Context, text: string): Promise<readonly string[]> {
  const stated = statedName(text)
  const found: string[] = []
  for (const query of nameQueries(stated)) {
    found.push(...(await realPatients(ctx, query, (patient) => hasStatedName(stated, patient))))
  }
  return [...new Set(found)]
}

/** By family and given name in either order, and by a name that is only a text. Folded words need no escaping. */
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
