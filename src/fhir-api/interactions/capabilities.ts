/** capabilities in a Bundle: https://hl7.org/fhir/R4/http.html#capabilities. By itself it is answered by fhir-api/metadata.ts. */
import { spend } from '../../isolation/budget.ts'
import type { InteractionHandler } from '../message/interaction.ts'

/** Characters that are copied into the response in a microsecond. */
const CHARACTERS_PER_STEP = 1000

export const capabilities: InteractionHandler = async (_ctx, { query, base, services, strictness }) => {
  const text = await services.capabilities(query.get('mode'), base, strictness?.profile)
  spend(text.length / CHARACTERS_PER_STEP, 'its capabilities')
  return { status: 200, text, kind: 'read' }
}
