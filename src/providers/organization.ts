/** Organization: the standard interactions, and the live-call tools about the clinic. */
import { toolFamilies } from '../calls/families.ts'
import { toolOperations } from '../calls/tool-registry.ts'
import { defineProvider, standard } from '../core/provider.ts'

export const organization = defineProvider('Organization', {
  interactions: standard,
  operations: toolOperations(toolFamilies, 'Organization'),
})
