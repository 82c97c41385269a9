/** A request for an operation with the parameters that its OperationDefinition requires, to be filled in. */
import type { OperationDefinition, OperationDefinitionParameter } from 'fhir/r4'
import { capitalized } from './definitions.ts'
import { type Known, sampleValue, templateOf } from './template.ts'

type Parameter = Readonly<Record<string, unknown>> & { readonly name: string }

const GENDERS = 'http://hl7.org/fhir/administrative-gender'
const GENDER_SET = 'http://hl7.org/fhir/ValueSet/administrative-gender'

/** Parameters of operations that ask for one of several, or for something that exists. */
const EXAMPLES: Readonly<Record<string, readonly Parameter[]>> = {
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

/** @param type that it is called on */
export async function operationExample(definition: OperationDefinition, type: string, known: Known): Promise<object> {
  const own = EXAMPLES[(definition.url ?? '').replace(/^.*\//, '')]
  return { resourceType: 'Parameters', parameter: own ?? (await requiredOf(definition.parameter, type, known)) }
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
