/** Content of the two Patients after a merge: https://hl7.org/fhir/R4/patient.html#merge. */
import type { Identifier, Patient, PatientLink } from 'fhir/r4'
import { badRequest, type FhirError } from '../../fhir/outcome.ts'
import { isReferenceTo } from './moved-references.ts'
import { unitedElements } from './united.ts'

/** True if another record has replaced this one. */
export const isReplaced = ({ link = [] }: Patient): boolean => link.some(({ type }) => type === 'replaced-by')

type Stored = Patient & { readonly id?: string | undefined }

/** The source, inactive and linked to the Patient that replaces it. */
export const replacedSource = (source: Stored, targetId: string, baseUrl: string): Patient => ({
  ...source,
  active: false,
  link: [...linksToOthers(source, targetId, baseUrl), { other: reference(targetId), type: 'replaced-by' }],
})

/**
 * The target with the link, and with the identifiers, contact points and addresses of the source that it lacks; R5:
 * "the servers should copy all identifiers from the source patient into the target patient, and include the link
 * property".
 * @param region ISO 3166 code of the country for phone numbers without a country code
 */
export const mergedTarget = (
  target: Stored,
  source: Stored,
  sourceId: string,
  { baseUrl, region }: { readonly baseUrl: string; readonly region: string | undefined },
): Patient => ({
  ...target,
  ...unitedElements(target, source, region),
  link: [...linksToOthers(target, sourceId, baseUrl), { other: reference(sourceId), type: 'replaces' }],
})

const reference = (id: string) => ({ reference: `Patient/${id}` })

const linksToOthers = ({ link = [] }: Patient, id: string, baseUrl: string): readonly PatientLink[] =>
  link.filter(({ other }) => !isReferenceTo(other.reference, id, baseUrl))

export const isSameIdentifier = (one: Identifier, other: Identifier): boolean =>
  one.value === other.value && (one.system ?? '') === (other.system ?? '')

interface Expected {
  readonly sourceId: string
  readonly targetId: string
  /** Identifiers with which the request has named the two Patients. */
  readonly identifiers: readonly Identifier[]
  readonly baseUrl: string
}

const RESULT = { expression: 'result-patient' } as const

/**
 * R5: it "must have the same patient.id and provided identifiers included. This resource MUST have the link property
 * included referencing the source patient resource".
 * @throws FhirError 400
 */
export function checkResult(result: Patient, { sourceId, targetId, identifiers, baseUrl }: Expected): void {
  if (result.id !== targetId) {
    throw badRequest(
      `result-patient has ${result.id === undefined ? 'no id' : `the id '${result.id}'`}; it must have that of the target, '${targetId}'`,
      RESULT,
    )
  }
  const links = (result.link ?? []).filter(({ other }) => isReferenceTo(other?.reference, sourceId, baseUrl))
  if (links.length !== 1 || links[0]?.type !== 'replaces') throw wrongLinks(links.length, sourceId)
  if (isReplaced(result)) {
    throw badRequest(
      'result-patient has a link of the type replaced-by; the target must remain, so leave it out',
      RESULT,
    )
  }
  if (result.active === false) {
    throw badRequest(
      'result-patient is inactive; the target must remain, so set active to true or leave it out',
      RESULT,
    )
  }
  const missing = identifiers.find((one) => !result.identifier?.some((other) => isSameIdentifier(one, other)))
  if (missing !== undefined) {
    throw badRequest(
      `result-patient lacks the identifier '${missing.value ?? ''}' by which a patient was named; include it`,
      RESULT,
    )
  }
}

const wrongLinks = (count: number, sourceId: string): FhirError =>
  badRequest(
    `result-patient has ${count === 0 ? 'no link' : `${count} links`} to the source; it must have one, {"other": {"reference": "Patient/${sourceId}"}, "type": "replaces"}`,
    RESULT,
  )
