/** Patient/$match: https://hl7.org/fhir/R4/patient-operation-match.html, with the cases of IHE PDQm ITI-119. */
import type { Bundle, BundleEntry, Extension, OperationOutcome, OperationOutcomeIssue, Patient } from 'fhir/r4'
import { readSettings } from '../clinics/settings.ts'
import type { Context } from '../core/context.ts'
import { defineOperation, type OperationRequest } from '../core/operation.ts'
import { type Linkage, type LinkedPatient, linkPatients } from '../core/patient-linkage.ts'
import { badRequest, FhirError } from '../fhir/outcome.ts'
import { checkResource } from '../fhir/validate/validate.ts'
import {
  contributionsOf,
  type FieldEvidence,
  type Frequencies,
  gradeOf,
  householdBits,
  identityLevelOf,
  isClose,
  isListed,
  type MatchGrade,
  priorBits,
} from '../matching/score.ts'

/** Most characters of the elements used for matching, as JSON. */
const MAX_CHARACTERS = 8_000

interface PatientMatch extends LinkedPatient {
  readonly grade: MatchGrade
}

export const patientMatch = defineOperation('patient-match', async ({ access, input, base }: OperationRequest) => {
  checkResource(input.resource, 'Patient')
  const asked = input.resource as Patient
  checkLength(asked)
  checkCount(input.count)
  const linkage = await link(await access.reader(), asked)
  const matches = matchesIn(linkage)
  const bundle = searchset(select(matches, input), base ?? '', input.explain === true ? linkage.frequencies : undefined)
  return withOutcome(bundle, issuesOf(linkage, matches))
})

/**
 * Limits the input, as every part of a name is combined with every other: a few hundred parts would delay other
 * requests.
 */
function checkLength({ name, identifier, telecom, address }: Patient): void {
  if (JSON.stringify([name, identifier, telecom, address]).length <= MAX_CHARACTERS) return
  throw new FhirError(413, {
    code: 'too-costly',
    diagnostics: `The names, identifiers, telecoms and addresses to match by are longer than ${MAX_CHARACTERS} characters together; send fewer`,
    expression: 'Parameters.parameter.resource',
  })
}

function checkCount(count: unknown): void {
  if (typeof count === 'number' && count < 1)
    throw badRequest(`count is ${count}; it must be 1 or more`, { expression: 'Parameters.parameter' })
}

/** @throws FhirError 400 if the Patient has nothing to match by */
async function link(ctx: Context, asked: Patient): Promise<Linkage> {
  const { defaultRegion } = await readSettings(ctx.unit, ctx.clinic)
  const linkage = await linkPatients(ctx.unit, asked, defaultRegion)
  if (linkage !== undefined) return linkage
  throw badRequest(
    'The Patient holds nothing to match by; give a name, an identifier, a phone number, an e-mail address, a birth date or an address with street and number',
    { expression: 'Parameters.parameter.resource' },
  )
}

/**
 * Possible matches, the likeliest first. Placeholders come after real patients, and do not make the match of a real one
 * uncertain.
 */
function matchesIn({ patients }: Linkage): readonly PatientMatch[] {
  const listed = patients.filter(({ probability, evidence }) => isListed(probability, evidence))
  const real = listed.filter(({ isPlaceholder }) => !isPlaceholder)
  const graded = listed.map((match): PatientMatch => {
    const others = match.isPlaceholder ? listed : real
    const grade = gradeOf(
      match,
      others.filter((other) => other !== match),
    )
    return { ...match, grade }
  })
  return graded.toSorted((a, b) => Number(a.isPlaceholder) - Number(b.isPlaceholder))
}

/** With onlyCertainMatches: the one certain match, or none if several cannot be confirmed as one person. */
function select(matches: readonly PatientMatch[], input: OperationRequest['input']): readonly PatientMatch[] {
  const certain = matches.filter(({ grade }) => grade === 'certain')
  const found = input.onlyCertainMatches !== true ? matches : certain.length === 1 ? certain : []
  return found.slice(0, input.onlySingleMatch === true ? 1 : (input.count as number | undefined))
}

function searchset(matches: readonly PatientMatch[], base: string, explained: Frequencies | undefined): Bundle {
  const entry = matches.map(
    (match): BundleEntry => ({
      fullUrl: `${base}/Patient/${match.patient.id}`,
      resource: match.patient.resource,
      search: {
        extension: [matchGrade(match.grade), ...(explained === undefined ? [] : [explanationOf(match, explained)])],
        mode: 'match',
        score: scoreOf(match.probability),
      },
    }),
  )
  return { resourceType: 'Bundle', type: 'searchset', total: matches.length, ...(entry.length === 0 ? {} : { entry }) }
}

const explanationOf = ({ evidence, probability }: PatientMatch, frequencies: Frequencies): Extension =>
  matchExplanation({ evidence, frequencies, probability, prior: priorBits(frequencies.patients) })

function issuesOf({ narrowed }: Linkage, matches: readonly PatientMatch[]): readonly OperationOutcomeIssue[] {
  return [...(narrowed ? [NARROWED] : []), ...duplicatesIn(matches)]
}

const NARROWED: OperationOutcomeIssue = {
  severity: 'information',
  code: 'incomplete',
  diagnostics:
    'Some values of the Patient are too common in this clinic to search by alone, such as a frequent name: of the patients who ' +
    'have them, only those who agree on something else too were compared. Give more, for instance the birth date, a telephone number or an identifier',
}

const POSSIBLE_DUPLICATE = 'https://sandbox-emr.example/fhir/StructureDefinition/possible-duplicate'

/** Reports possible duplicates among all matches, even if the response has fewer entries. */
function duplicatesIn(matches: readonly PatientMatch[]): readonly OperationOutcomeIssue[] {
  const real = matches.filter(({ isPlaceholder }) => !isPlaceholder)
  const [best] = real
  if (best === undefined) return []
  const close = real.filter((other) => other === best || (isClose(other, best) && isClose(best, other)))
  if (close.length < 2) return []
  const references = close.map(({ patient }) => `Patient/${patient.id}`)
  const names = references.join(', ')
  return [
    {
      // The extension also serves the audit trail, which identifies patients by references: their entries may be
      // missing in the response.
      extension: references.map((reference) => ({ url: POSSIBLE_DUPLICATE, valueReference: { reference } })),
      severity: 'information',
      code: 'duplicate',
      diagnostics: `The clinic has possible duplicates: ${names} may be the same person. None is certain until staff compare them, and merge those that are one person`,
    },
  ]
}

function withOutcome(bundle: Bundle, issue: readonly OperationOutcomeIssue[]): Bundle {
  if (issue.length === 0) return bundle
  const resource: OperationOutcome = { resourceType: 'OperationOutcome', issue: [...issue] }
  return { ...bundle, entry: [...(bundle.entry ?? []), { resource, search: { mode: 'outcome' } }] }
}

const MATCH_GRADE = 'http://hl7.org/fhir/StructureDefinition/match-grade'
const EXPLANATION = 'https://sandbox-emr.example/fhir/StructureDefinition/match-explanation'

export const matchGrade = (grade: MatchGrade): Extension => ({ url: MATCH_GRADE, valueCode: grade })

/** Highest score. */
const HIGHEST = 0.9999

/** The value for search.score; always below one, as no match is certain. */
export const scoreOf = (probability: number): number => Math.min(HIGHEST, Number(probability.toFixed(4)))

/** The data of a match to explain. */
interface Explained {
  readonly evidence: readonly FieldEvidence[]
  readonly frequencies: Frequencies
  readonly probability: number
  /** The odds before any comparison, in bits. */
  readonly prior: number
}

/**
 * The contribution of each field and of other evidence, in bits, and the identity level reached by the agreeing fields.
 */
export function matchExplanation(explained: Explained): Extension {
  const level = identityLevelOf(explained.evidence)
  const fields = contributionsOf(explained.evidence, explained.frequencies)
  const sum = fields.reduce((total, { bits }) => total + bits, 0)
  return {
    url: EXPLANATION,
    extension: [
      ...fields.map(({ evidence: { field, level: agreement }, bits }) => contribution(field, bits, agreement)),
      ...besides(explained, sum).map(([what, bits]) => contribution(what, bits)),
      ...(level === undefined ? [] : [{ url: 'identityLevel', valueDecimal: level }]),
    ],
  }
}

/** Evidence other than fields; together their bits give the odds of the probability. */
function besides(
  { evidence, frequencies, probability, prior }: Explained,
  fields: number,
): readonly (readonly [what: string, bits: number])[] {
  const household = householdBits(evidence, frequencies)
  const odds = Math.log2(probability / (1 - probability))
  const others = probability < HIGHEST ? odds - fields - household - prior : 0
  const all = [
    ['household', household],
    ['others', others],
    ['prior', prior],
  ] as const
  return all.filter(([, bits]) => Math.abs(bits) >= SMALLEST)
}

/** Smallest number of bits that does not round to 0. */
const SMALLEST = 0.005

const contribution = (field: string, bits: number, agreement?: string): Extension => ({
  url: 'contribution',
  extension: [
    { url: 'field', valueCode: field },
    ...(agreement === undefined ? [] : [{ url: 'agreement', valueString: agreement }]),
    { url: 'bits', valueDecimal: Number(bits.toFixed(2)) },
  ],
})
