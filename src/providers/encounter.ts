/** Encounter: the standard interactions, and the record of one visit. */

import { defineProvider, standard } from '../core/provider.ts'
import { encounterEverything } from '../operations/everything/encounter-everything.ts'

export const encounter = defineProvider('Encounter', { interactions: standard, operations: [encounterEverything] })
