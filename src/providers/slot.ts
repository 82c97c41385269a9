/** Slot: searched all day by schedule, status and start. https://hl7.org/fhir/R4/slot.html */
import { defineProvider } from '../core/provider.ts'
import { standard } from '../core/standard.ts'

export const slot = defineProvider('Slot', {
  interactions: standard,
  combined: [{ equal: ['schedule', 'status'], range: 'start' }],
})
