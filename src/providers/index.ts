/** The list of providers that differ from the standard one. */

import type { Provider } from '../core/provider.ts'
import { appointment } from './appointment.ts'
import { builtInProviders } from './built-in.ts'
import { conceptMap } from './concept-map.ts'
import { documentReference } from './document-reference.ts'
import { encounter } from './encounter.ts'
import { implementationGuide } from './implementation-guide.ts'
import { patient } from './patient.ts'
import { slot } from './slot.ts'

export const specialProviders: readonly Provider[] = [
  appointment,
  conceptMap,
  documentReference,
  encounter,
  implementationGuide,
  patient,
  slot,
  ...builtInProviders,
]
