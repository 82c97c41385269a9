/** The operations that every type has, and of them those of the whole clinic: https://hl7.org/fhir/R4/resource-operations.html. */
import { meta, metaAdd, metaDelete } from '../operations/meta.ts'
import type { Operation } from '../operations/operation.ts'
import { validateResource } from '../operations/validate.ts'

export const everyTypeOperations: readonly Operation[] = [meta, metaAdd, metaDelete, validateResource]
