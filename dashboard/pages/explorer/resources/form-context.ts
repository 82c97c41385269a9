/** The server's offer and its objections, for all fields of a form. */
import type { CapabilityStatement } from 'fhir/r4'
import { createContext, useContext } from 'react'

interface FormState {
  readonly statement: CapabilityStatement
  /** By the FHIRPath of the element: `Patient.name[0].family`. */
  readonly problems: ReadonlyMap<string, string>
}

export const FormContext = createContext<FormState | undefined>(undefined)

export function useFormState(): FormState {
  const state = useContext(FormContext)
  if (state === undefined) throw new Error('A field of a resource stands in its form.')
  return state
}
