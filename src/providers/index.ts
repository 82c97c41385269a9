/** The list of providers that differ from the standard one. */
import { appointment } from './appointment.ts'
import { builtInProviders } from './built-in.ts'
import { documentReference } from './document-reference.ts'
import { patient } from './patient.ts'
import type { Provider } from './provider.ts'
import { slot } from './slot.ts'

export const specialProviders: readonly Provider[] = [
  appointment,
  documentReference,
  patient,
  slot,
  ...builtInProviders,
]
