/**
 * Phones and e-mails as the server reads them, by the tool that checks callers' data:
 * docs/tools/validate-intake-field.md.
 */
import type { Parameters as FhirParameters } from 'fhir/r4'
import { ask } from './operations.ts'

export const CONTACTS = ['phone', 'email'] as const
export type ContactName = (typeof CONTACTS)[number]

/** The value in its stored form, or its error. */
type ReadContact = { readonly value: string } | { readonly error: string }

/** @throws Problem where the server does not respond */
export async function readContact(name: ContactName, typed: string): Promise<ReadContact> {
  const { parameter = [] } = await ask<FhirParameters>('Patient/$validate-intake-field', [
    ['fieldName', { valueString: name }],
    ['value', { valueString: typed }],
  ])
  const textOf = (part: string) => parameter.find((one) => one.name === part)?.valueString
  const value = textOf('value')
  return value === undefined ? { error: textOf('error') ?? `This is not a valid ${name}.` } : { value }
}
