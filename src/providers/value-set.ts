/** ValueSet: the standard interactions, and what its codes are. */
import { valueSetExpand } from '../operations/value-set-expand.ts'
import { valueSetValidateCode } from '../operations/value-set-validate-code.ts'
import { defineProvider } from './provider.ts'
import { standard } from './standard.ts'

export const valueSet = defineProvider('ValueSet', {
  interactions: standard,
  operations: [valueSetExpand, valueSetValidateCode],
})
