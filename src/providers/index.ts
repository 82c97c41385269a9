/** The list of providers that differ from the standard one. */

import type { Provider } from '../core/provider.ts'
import { appointment } from './appointment.ts'
import { appointmentResponse } from './appointment-response.ts'
import { auditEvent } from './audit-event.ts'
import { binary } from './binary.ts'
import { builtInProviders } from './built-in.ts'
import { conceptMap } from './concept-map.ts'
import { documentReference } from './document-reference.ts'
import { encounter } from './encounter.ts'
import { implementationGuide } from './implementation-guide.ts'
import { namingSystem } from './naming-system.ts'
import { organization } from './organization.ts'
import { patient } from './patient.ts'
import { schedule } from './schedule.ts'
import { slot } from './slot.ts'
import { subscription } from './subscription.ts'
import { task } from './task.ts'

export const specialProviders: readonly Provider[] = [
  appointment,
  appointmentResponse,
  auditEvent,
  binary,
  conceptMap,
  documentReference,
  encounter,
  implementationGuide,
  namingSystem,
  organization,
  patient,
  schedule,
  slot,
  subscription,
  task,
  ...builtInProviders,
]
