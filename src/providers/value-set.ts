/** ValueSet: the standard interactions, and what its codes are. */

import { defineProvider } from '../core/provider.ts'
import { standard } from '../core/standard.ts'
import { valueSetExpand } from '../operations/terminology/value-set-expand.ts'
import { valueSetValidateCode } from '../operations/terminology/value-set-validate-code.ts'

export const valueSet = defineProvider('ValueSet', {
  interactions: standard,
  operations: [valueSetExpand, valueSetValidateCode],
})
