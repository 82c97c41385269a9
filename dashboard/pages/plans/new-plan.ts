/** A plan to begin with: one step that most schedulers need. */
import type { Plan } from '../../api/rehearsal-answers.ts'

export const NEW_PLAN: Plan = {
  plan: 'my-client',
  title: 'My client',
  version: '1.0.0',
  description: 'What our client must do',
  steps: [
    {
      id: 'look',
      title: 'Looks for free slots in a range',
      source: 'https://hl7.org/fhir/R4/slot.html',
      expect: { interaction: 'search-type', type: 'Slot', query: { status: 'free', start: ['ge*', 'gt*'] } },
    },
  ],
}
