/** Encounter: the standard interactions, and the record of one visit. */

import { defineProvider } from '../core/provider.ts'
import { standard } from '../core/standard.ts'
import { encounterEverything } from '../operations/everything/encounter-everything.ts'

export const encounter = defineProvider('Encounter', { interactions: standard, operations: [encounterEverything] })
