/** NamingSystem: the standard interactions, and the other identifiers of a system. */

import { defineProvider, standard } from '../core/provider.ts'
import { namingSystemPreferredId } from '../operations/terminology/naming-system-preferred-id.ts'

export const namingSystem = defineProvider('NamingSystem', {
  interactions: standard,
  operations: [namingSystemPreferredId],
})
