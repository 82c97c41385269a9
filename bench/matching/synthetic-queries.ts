/** Queries for the patients of synthetic-patients.ts: some of their details, half of the time with a mistake. */
import type { HumanName, Patient } from 'fhir/r4'
import { type Chance, chanceOf } from './chance.ts'
import { syntheticPatient } from './synthetic-patients.ts'

const QUERY = 3

/** The details stated besides the name. */
const SAID: readonly (readonly ('phone' | 'email' | 'birthDate' | 'address')[])[] = [
  ['phone'],
  ['birthDate'],
  ['birthDate', 'phone'],
  ['birthDate', 'address'],
  ['address'],
  ['birthDate', 'phone', 'email', 'address'],
]
/** The share of stated details with a typing mistake. */
const MISTAKEN = 0.5
/** The share of queries about people who are not patients yet. */
const UNKNOWN = 0.1

export interface SyntheticQuery {
  readonly patient: Patient
  /** The number of the patient meant; undefined for a person who is not a patient. */
  readonly meant: number | undefined
}

/** Query number `n` to a clinic with so many patients. */
export function syntheticQuery(n: number, patients: number): SyntheticQuery {
  const chance = chanceOf(QUERY, n)
  const isKnown = !chance.isOnce(UNKNOWN)
  const meant = chance.below(patients) + (isKnown ? 0 : patients)
  const { name = [], birthDate = '', telecom = [], address = [] } = syntheticPatient(meant)
  const fields = SAID[chance.below(SAID.length)] ?? []
  const mistaken = chance.isOnce(MISTAKEN) ? chance.below(fields.length + 2) : -1
  const wrong = fields[mistaken]
  const contacts = telecom
    .filter(({ system }) => fields.some((field) => field === system))
    .map((contact) =>
      contact.system === wrong ? { ...contact, value: mistyped(contact.value ?? '', chance) } : contact,
    )
  const addresses = address.map(({ line = [], ...where }) => ({
    ...where,
    line: wrong === 'address' ? line.map((one) => mistyped(one, chance)) : line,
  }))
  return {
    meant: isKnown ? meant : undefined,
    patient: {
      resourceType: 'Patient',
      name: name.map((one) => said(one, mistaken - fields.length, chance)),
      ...(contacts.length === 0 ? {} : { telecom: contacts }),
      ...(fields.includes('birthDate')
        ? { birthDate: wrong === 'birthDate' ? withOtherDay(birthDate, chance) : birthDate }
        : {}),
      ...(fields.includes('address') ? { address: addresses } : {}),
    },
  }
}

/** The first given name and the family name; `mistaken` is 0 where the one is mistyped, and 1 where the other is. */
const said = ({ family = '', given = [] }: HumanName, mistaken: number, chance: Chance): HumanName => ({
  family: mistaken === 1 ? mistyped(family, chance) : family,
  given: given.slice(0, 1).map((one) => (mistaken === 0 ? mistyped(one, chance) : one)),
})

const withOtherDay = (date: string, chance: Chance): string =>
  `${date.slice(0, 8)}${String(1 + chance.below(28)).padStart(2, '0')}`

/** A character is missing, doubled, another one, or in the place of the next one. */
function mistyped(text: string, chance: Chance): string {
  const at = chance.below(text.length)
  const [before, character, after] = [text.slice(0, at), text.charAt(at), text.slice(at + 1)]
  switch (chance.below(4)) {
    case 0:
      return before + after
    case 1:
      return before + character + character + after
    case 2:
      return before + replaced(character, chance) + after
    default:
      return before + after.charAt(0) + character + after.slice(1)
  }
}

const replaced = (character: string, chance: Chance): string =>
  /\d/.test(character) ? String(chance.below(10)) : 'aeioulnrst'.charAt(chance.below(10))
