/** The list of providers that differ from the standard one. */
import { toolFamilies } from '../calls/families.ts'
import { toolOperations } from '../calls/tool.ts'
import type { Operation } from '../core/operation.ts'
import { defineProvider, type Provider, standard } from '../core/provider.ts'
import { patientExport } from '../operations/bulk-export.ts'
import { patientFindDuplicates } from '../operations/duplicates/find-duplicates.ts'
import { patientNotDuplicates } from '../operations/duplicates/not-duplicates.ts'
import { encounterEverything, patientEverything } from '../operations/everything/everything.ts'
import { implementationGuideInstall } from '../operations/implementation-guide-install.ts'
import { patientMerge } from '../operations/merge/patient-merge.ts'
import { patientUnmerge } from '../operations/merge/patient-unmerge.ts'
import { patientMatch } from '../operations/patient-match.ts'
import { conceptMapTranslate } from '../operations/terminology/concept-map-translate.ts'
import { namingSystemPreferredId } from '../operations/terminology/naming-system-preferred-id.ts'
import { appointment } from './appointment.ts'
import { appointmentResponse } from './appointment-response.ts'
import { auditEvent } from './audit-event.ts'
import { binary } from './binary.ts'
import { builtInProviders } from './built-in.ts'
import { documentReference } from './document-reference.ts'
import { group } from './group.ts'
import { schedule } from './schedule.ts'
import { slot } from './slot.ts'
import { subscription } from './subscription.ts'
import { task } from './task.ts'

/** Types that have the standard interactions, and operations of their own. */
const OPERATIONS: Readonly<Record<string, readonly Operation[]>> = {
  ConceptMap: [conceptMapTranslate],
  Encounter: [encounterEverything],
  ImplementationGuide: [implementationGuideInstall],
  NamingSystem: [namingSystemPreferredId],
  Organization: toolOperations(toolFamilies, 'Organization'),
  Patient: [
    patientMatch,
    patientFindDuplicates,
    patientNotDuplicates,
    patientMerge,
    patientUnmerge,
    patientEverything,
    patientExport,
    ...toolOperations(toolFamilies, 'Patient'),
  ],
}

export const specialProviders: readonly Provider[] = [
  appointment,
  appointmentResponse,
  auditEvent,
  binary,
  documentReference,
  group,
  schedule,
  slot,
  subscription,
  task,
  ...Object.entries(OPERATIONS).map(([type, operations]) =>
    defineProvider(type, { interactions: standard, operations }),
  ),
  ...builtInProviders,
]
