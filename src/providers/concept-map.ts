/** ConceptMap: the standard interactions, and translation. */

import { defineProvider, standard } from '../core/provider.ts'
import { conceptMapTranslate } from '../operations/terminology/concept-map-translate.ts'

export const conceptMap = defineProvider('ConceptMap', {
  interactions: standard,
  operations: [conceptMapTranslate],
})
