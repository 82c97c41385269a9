/** Patient/$match: https://hl7.org/fhir/R4/patient-operation-match.html, with the cases of IHE PDQm ITI-119. */
import type { Bundle, BundleEntry, Patient } from 'fhir/r4'
import { readSettings } from '../clinics/settings.ts'
import type { Context } from '../core/context.ts'
import { defineOperation, type OperationRequest } from '../core/operation.ts'
import { badRequest, FhirError } from '../fhir/outcome.ts'
import { checkResource } from '../fhir/validate/validate.ts'
import { candidateQueries } from '../matching/candidates.ts'
import { compareDemographics, type Demographics, demographicsOf } from '../matching/compare.ts'
import { type Score, scoreOf } from '../matching/score.ts'
import type { Versioned } from '../repository/repository.ts'

const MATCH_GRADE = 'http://hl7.org/fhir/StructureDefinition/match-grade'
/** Candidates looked at for each clue; a clue that fits more people than this tells nothing. */
const CANDIDATES_PER_CLUE = 100
/** Read for all clues together, as JSON; an ordinary Patient has some two thousand. */
const MAX_CANDIDATE_CHARACTERS = 40_000_000
/** Of what a Patient is matched by, as JSON. */
const MAX_CHARACTERS = 8_000

export const patientMatch = defineOperation('patient-match', async ({ access, input, base }: OperationRequest) => {
  checkResource(input.resource, 'Patient')
  const asked = input.resource as Patient
  checkLength(asked)
  const matches = await findMatches(access.reader(), asked)
  return searchset(select(matches, input.onlyCertainMatches === true, input.count as number | undefined), base ?? '')
})

/** Every part of a name is looked for together with every other, so a few hundred of them would keep everybody waiting. */
function checkLength({ name, identifier, telecom, address }: Patient): void {
  if (JSON.stringify([name, identifier, telecom, address]).length <= MAX_CHARACTERS) return
  throw new FhirError(413, {
    code: 'too-costly',
    diagnostics: `The names, identifiers, telecoms and addresses to match by are longer than ${MAX_CHARACTERS} characters together; send fewer`,
    expression: 'Parameters.parameter.resource',
  })
}

interface PatientMatch extends Score {
  readonly patient: Versioned<Patient>
}

/** Patients of the clinic that may be the one asked for, best first. @throws FhirError 400 when nothing can be matched by. */
async function findMatches(ctx: Context, asked: Patient): Promise<readonly PatientMatch[]> {
  const queries = candidateQueries(asked)
  if (queries.length === 0) {
    throw badRequest(
      'The Patient holds nothing to match by; give a name, an identifier, a phone number, an e-mail address, or an address with the birth date',
      { expression: 'Parameters.parameter.resource' },
    )
  }
  const candidates = await findCandidates(ctx, queries)
  const { defaultRegion } = await readSettings(ctx.unit, ctx.clinic)
  const demographics = demographicsOf(asked, defaultRegion)
  return candidates
    .flatMap((patient) => graded(demographics, patient, defaultRegion))
    .sort((a, b) => b.score - a.score || (a.patient.id < b.patient.id ? -1 : 1))
}

/** @throws FhirError 422 when they are too long together */
async function findCandidates(ctx: Context, queries: readonly string[]): Promise<readonly Versioned<Patient>[]> {
  const candidates = new Map<string, Versioned<Patient>>()
  let characters = 0
  for (const query of queries) {
    for (const found of await ctx.search<Patient>('Patient', `${query}&_count=${CANDIDATES_PER_CLUE}`)) {
      characters += found.text.length
      candidates.set(found.id, found)
    }
    if (characters > MAX_CANDIDATE_CHARACTERS) throw tooLong()
  }
  return [...candidates.values()]
}

const tooLong = (): FhirError =>
  new FhirError(422, {
    code: 'too-costly',
    diagnostics: `The Patients that may match are longer than ${MAX_CANDIDATE_CHARACTERS} characters together, those that several clues find counted again; ask with an identifier, or with fewer names, telecoms and addresses`,
    expression: 'Parameters.parameter.resource',
  })

/** A record that another one has replaced is left out (ITI-119: deprecated records). */
function graded(asked: Demographics, patient: Versioned<Patient>, region: string): PatientMatch[] {
  if (patient.resource.link?.some(({ type }) => type === 'replaced-by')) return []
  const score = scoreOf(compareDemographics(asked, demographicsOf(patient.resource, region)))
  return score === undefined ? [] : [{ ...score, patient }]
}

/** Only certain: the one certain match, or none when several cannot be confirmed as one person. */
function select(
  matches: readonly PatientMatch[],
  onlyCertain: boolean,
  count: number | undefined,
): readonly PatientMatch[] {
  if (count !== undefined && count < 1)
    throw badRequest(`count is ${count}; it must be 1 or more`, { expression: 'Parameters.parameter' })
  if (!onlyCertain) return matches.slice(0, count)
  const certain = matches.filter(({ grade }) => grade === 'certain')
  return certain.length === 1 ? certain : []
}

function searchset(matches: readonly PatientMatch[], base: string): Bundle {
  const entry = matches.map(
    ({ patient, score, grade }): BundleEntry => ({
      fullUrl: `${base}/Patient/${patient.id}`,
      resource: patient.resource,
      search: { extension: [{ url: MATCH_GRADE, valueCode: grade }], mode: 'match', score },
    }),
  )
  return { resourceType: 'Bundle', type: 'searchset', total: matches.length, ...(entry.length === 0 ? {} : { entry }) }
}
