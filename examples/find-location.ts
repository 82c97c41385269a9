/** A live-call tool, in a family of its own: POST /clinic-info/find_location tells a caller where the clinic is. */
import { type AnyResource, defineExtension, defineOperation, defineTool } from 'sandbox-emr'

interface Location extends AnyResource {
  readonly name?: string
}

const findLocation = defineOperation(
  {
    resourceType: 'OperationDefinition',
    id: 'example-find-location',
    url: 'https://example.org/fhir/OperationDefinition/example-find-location',
    name: 'FindLocation',
    status: 'active',
    kind: 'operation',
    code: 'find-location',
    resource: ['Location'],
    system: false,
    type: true,
    instance: false,
    affectsState: false,
    parameter: [
      { name: 'name', use: 'in', min: 1, max: '1', type: 'string', documentation: 'How its name begins.' },
      { name: 'success', use: 'out', min: 1, max: '1', type: 'boolean' },
      { name: 'say', use: 'out', min: 1, max: '1', type: 'string', documentation: 'To be spoken to the caller.' },
    ],
  },
  async ({ access, input }) => {
    const query = new URLSearchParams({ name: String(input.name).replace(/[\\,$|]/g, '\\$&'), _count: '3' })
    const found = await (await access.reader()).search<Location>('Location', String(query))
    const names = found.map(({ resource }) => resource.name).join(', ')
    if (found.length === 0) return { success: false, say: 'I know no location of that name.' }
    return { success: true, say: `We are at ${names}.` }
  },
)

export const extension = defineExtension({
  name: 'find-location',
  operations: [findLocation],
  tools: { 'clinic-info': { find_location: defineTool(findLocation) } },
})
