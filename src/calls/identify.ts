/** Which real patients of the clinic the stated name or phone belongs to. */
import type { Patient } from 'fhir/r4'
import type { Context } from '../providers/context.ts'
import { phoneSpellings } from './phone-spellings.ts'
import { isPlaceholder } from './registration.ts'
import { spokenPhone } from './spoken/spoken-phone.ts'
import { readings, sameName, statedName } from './stated-name.ts'

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

/** Ids of the real patients among those that `query` finds and `same` confirms. */
async function realPatients(
  ctx: Context,
  query: string,
  same: (patient: Patient) => boolean,
): Promise<readonly string[]> {
  const found = await ctx.search<Patient>('Patient', query)
  return found.filter(({ resource }) => !isPlaceholder(resource) && same(resource)).map(({ id }) => id)
}

async function withName(ctx: Context, text: string): Promise<readonly string[]> {
  const stated = statedName(text)
  const possible = readings(stated.words)
  if (possible.length === 0) return []
  const families = new Set(possible.map(({ family }) => family))
  const givens = new Set(possible.map(({ given }) => given[0] ?? ''))
  // Folded words hold no comma or other sign that a query would read.
  const query = `family=${listOf(families)}&given=${listOf(givens)}`
  return await realPatients(ctx, query, ({ name = [] }) => sameName(stated, name))
}

async function withPhone(ctx: Context, phone: string, region: string | undefined): Promise<readonly string[]> {
  const isSame = (value: string | undefined): boolean => {
    const known = spokenPhone(value ?? '', region)
    return known.ok && known.value === phone
  }
  return await realPatients(ctx, `phone=${listOf(phoneSpellings(phone))}`, ({ telecom = [] }) =>
    telecom.some(
      ({ system, use, value }) => (system === 'phone' || system === 'sms') && use !== 'old' && isSame(value),
    ),
  )
}

const listOf = (values: Iterable<string>): string => Array.from(values, encodeURIComponent).join(',')
