/** Operations of every type, and system-level ones: https://hl7.org/fhir/R4/resource-operations.html. */

import type { Operation } from '../core/operation.ts'
import { meta, metaAdd, metaDelete } from '../operations/meta.ts'
import { reindexStatus } from '../operations/reindex-status.ts'
import { validateResource } from '../operations/validate.ts'

export const everyTypeOperations: readonly Operation[] = [meta, metaAdd, metaDelete, validateResource]

/** System-level operations. */
export const systemOperations: readonly Operation[] = [
  ...everyTypeOperations.filter(({ definition }) => definition.system),
  reindexStatus,
]
