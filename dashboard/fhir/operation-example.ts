/** A request for an operation with the parameters that its OperationDefinition requires, to be filled in. */
import type { OperationDefinition, OperationDefinitionParameter } from 'fhir/r4'
import { capitalized } from './definitions.ts'
import { type Known, sampleValue, templateOf } from './template.ts'

type Parameter = Readonly<Record<string, unknown>> & { readonly name: string }

const GENDERS = 'http://hl7.org/fhir/administrative-gender'
const GENDER_SET = 'http://hl7.org/fhir/ValueSet/administrative-gender'

/** The id of the resource that examples change: no one's, until somebody stores one under it. */
export const EXAMPLE_ID = 'example'

/** Whether a tool needs a call: its keys, or a caller; one that only reads of the clinic does not. */
export const needsCall = ({ affectsState, instance }: OperationDefinition): boolean =>
  affectsState !== false || instance === true

/** Operations that change nothing that is there, and add nothing a second time. */
const ADDING: ReadonlySet<string> = new Set(['generate-slots'])

/**
 * The address at which an operation is tried: that of the system or the type, else that of a resource.
 * @param type '' for the whole system
 * @param stored the id of a resource, of which one that changes nothing is asked
 */
export function callAddress(
  { code = '', affectsState, type: isOfType, system }: OperationDefinition,
  type: string,
  stored: string,
): string {
  const isOfInstances = isOfType !== true && system !== true
  const id = affectsState === false || ADDING.has(code) ? stored : EXAMPLE_ID
  return [...(type === '' ? [] : [type]), ...(isOfInstances ? [id] : []), `$${code}`].join('/')
}

/** The headers without which an operation is refused: an export and an import are made in the background. */
export const headersFor = (path: string): Readonly<Record<string, string>> =>
  /\$(?:export|import)$/.test(path) ? { Prefer: 'respond-async' } : {}

const reference = (name: string, path: string): Parameter => ({ name, valueReference: { reference: path } })

const instant = (now: Known['now']): string => new Date(now()).toISOString()

/** The time that is offered next, to the patient who was changed last. */
const offered = async ({ find, now }: Known): Promise<readonly Parameter[]> => {
  const [patient] = await find('Patient?_count=1&_sort=-_lastUpdated')
  const query = new URLSearchParams({ start: instant(now), end: '2099-01-01T00:00:00Z', _count: '1' })
  if (patient !== undefined) query.set('patient-reference', `Patient/${patient.id}`)
  const [visit] = await find(`Appointment/$find?${query}`)
  return visit === undefined ? [] : [reference('appointment-reference', `Appointment/${visit.id}`)]
}

/** Parameters of operations that ask for one of several, or for something that exists. */
const EXAMPLES: Readonly<Record<string, readonly Parameter[] | ((known: Known) => Promise<readonly Parameter[]>)>> = {
  'appointment-book': offered,
  'appointment-hold': offered,
  'appointment-reschedule': async ({ find, now }) => {
    const query = new URLSearchParams({ status: 'free', start: `gt${instant(now)}`, _sort: 'start', _count: '1' })
    const [slot] = await find(`Slot?${query}`)
    return slot === undefined ? [] : [reference('slot', `Slot/${slot.id}`)]
  },
  'implementation-guide-install': [{ name: 'bundle', resource: { resourceType: 'Bundle', type: 'collection' } }],
  'Patient-merge': async (known) => [
    reference('source-patient', `Patient/${EXAMPLE_ID}`),
    reference('target-patient', await otherPatient(known)),
    { name: 'preview', valueBoolean: true },
  ],
  'patient-not-duplicates': async (known) => [
    reference('patient', `Patient/${EXAMPLE_ID}`),
    reference('other', await otherPatient(known)),
  ],
  'patient-unmerge': [reference('source-patient', `Patient/${EXAMPLE_ID}`)],
  'CodeSystem-lookup': [
    { name: 'system', valueUri: GENDERS },
    { name: 'code', valueCode: 'male' },
  ],
  'CodeSystem-subsumes': [
    { name: 'system', valueUri: GENDERS },
    { name: 'codeA', valueCode: 'male' },
    { name: 'codeB', valueCode: 'female' },
  ],
  'CodeSystem-validate-code': [
    { name: 'url', valueUri: GENDERS },
    { name: 'code', valueCode: 'male' },
  ],
  'ConceptMap-translate': [
    { name: 'system', valueUri: 'http://hl7.org/fhir/address-use' },
    { name: 'code', valueCode: 'home' },
    { name: 'targetsystem', valueUri: 'http://terminology.hl7.org/CodeSystem/v3-AddressUse' },
  ],
  'NamingSystem-preferred-id': [
    { name: 'id', valueString: 'http://snomed.info/sct' },
    { name: 'type', valueCode: 'oid' },
  ],
  'Patient-match': [
    {
      name: 'resource',
      resource: { resourceType: 'Patient', name: [{ family: 'Abernathy', given: ['Ruth'] }], birthDate: '1941-02-17' },
    },
  ],
  'Resource-meta-add': [{ name: 'meta', valueMeta: { tag: [{ system: 'http://example.org/tags', code: 'example' }] } }],
  'Resource-meta-delete': [
    { name: 'meta', valueMeta: { tag: [{ system: 'http://example.org/tags', code: 'example' }] } },
  ],
  'StructureDefinition-snapshot': [{ name: 'url', valueUri: 'http://hl7.org/fhir/StructureDefinition/Patient' }],
  'ValueSet-expand': [{ name: 'url', valueUri: GENDER_SET }],
  'ValueSet-validate-code': [
    { name: 'url', valueUri: GENDER_SET },
    { name: 'system', valueUri: GENDERS },
    { name: 'code', valueCode: 'male' },
  ],
}

const otherPatient = async ({ find }: Known): Promise<string> => {
  const found = await find('Patient?_count=2&_sort=-_lastUpdated')
  return `Patient/${found.find(({ id }) => id !== EXAMPLE_ID)?.id ?? EXAMPLE_ID}`
}

/** @param type that it is called on */
export async function operationExample(definition: OperationDefinition, type: string, known: Known): Promise<object> {
  const own = EXAMPLES[(definition.url ?? '').replace(/^.*\//, '')]
  const made = typeof own === 'function' ? await own(known) : own
  return { resourceType: 'Parameters', parameter: made ?? (await requiredOf(definition.parameter, type, known)) }
}

async function requiredOf(
  parameters: readonly OperationDefinitionParameter[] = [],
  type: string,
  known: Known,
): Promise<readonly Parameter[]> {
  // $validate may be asked of a stored resource, and then needs none.
  const required = parameters.filter(
    ({ use = 'in', min = 0, type: code }) => use === 'in' && (min > 0 || code === 'Resource'),
  )
  const made: Parameter[] = []
  for (const one of required) made.push(await parameterOf(one, type, known))
  return made
}

async function parameterOf(
  { name = '', type: code, part }: OperationDefinitionParameter,
  type: string,
  known: Known,
): Promise<Parameter> {
  if (code === undefined) return { name, part: await requiredOf(part, type, known) }
  // `Resource` is one of the type that it is called on.
  const resourceType = code === 'Resource' ? type : code
  if (known.types.includes(resourceType)) return { name, resource: await templateOf(resourceType, known) }
  return { name, [`value${capitalized(code)}`]: sampleValue(code) }
}
