/** Records that stand for a caller until the registration is complete, and records that another one has replaced. */
import type { Patient } from 'fhir/r4'

/** On a Patient whose registration is not complete; the clinic's list of patients leaves such records out. */
export const PLACEHOLDER_TAG = {
  system: 'https://sandbox-emr.example/fhir/CodeSystem/record-status',
  code: 'placeholder',
} as const

export const isPlaceholderTag = (tag: { system?: string | undefined; code?: string | undefined }): boolean =>
  tag.system === PLACEHOLDER_TAG.system && tag.code === PLACEHOLDER_TAG.code

export const isPlaceholder = ({ meta }: Pick<Patient, 'meta'>): boolean => meta?.tag?.some(isPlaceholderTag) ?? false

/** Another record holds what is known of the person. */
export const isReplaced = ({ link }: Pick<Patient, 'link'>): boolean =>
  link?.some(({ type }) => type === 'replaced-by') ?? false

/** The id of that record, where it is one of this server. */
export function replacedBy({ link = [] }: Pick<Patient, 'link'>): string | undefined {
  const reference = link.find(({ type }) => type === 'replaced-by')?.other.reference ?? ''
  return /^Patient\/([A-Za-z0-9\-.]{1,64})$/.exec(reference)?.[1]
}
