/** ConceptMap: the standard interactions, and translation. */
import { conceptMapTranslate } from '../operations/concept-map-translate.ts'
import { defineProvider } from './provider.ts'
import { standard } from './standard.ts'

export const conceptMap = defineProvider('ConceptMap', {
  interactions: standard,
  operations: [conceptMapTranslate],
})
