/** Encounter: the standard interactions, and the record of one visit. */
import { encounterEverything } from '../operations/encounter-everything.ts'
import { defineProvider } from './provider.ts'
import { standard } from './standard.ts'

export const encounter = defineProvider('Encounter', { interactions: standard, operations: [encounterEverything] })
