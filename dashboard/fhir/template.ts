/** The least that a valid resource of a type consists of, to be filled in: what its StructureDefinition requires. */
import type { FhirResource } from 'fhir/r4'
import {
  type Codes,
  type Define,
  elementsIn,
  isPrimitive,
  type Scope,
  scopeOf,
  scopeWithin,
  type TypedElement,
} from './definitions.ts'

/** The resources that a search, or an operation like `$find`, finds. */
export type Find = (address: string) => Promise<readonly FhirResource[]>

export interface Known {
  readonly find: Find
  /** The time of the clinic, in milliseconds since 1970 UTC. */
  readonly now: () => number
  readonly define: Define
  readonly codes: Codes
  /** Resource types. */
  readonly types: readonly string[]
}

/** Values of types none of whose elements is required. */
const SAMPLES: Readonly<Record<string, unknown>> = {
  boolean: true,
  decimal: 1,
  integer: 1,
  positiveInt: 1,
  unsignedInt: 1,
  date: '2026-01-01',
  dateTime: '2026-01-01',
  instant: '2026-01-01T09:00:00Z',
  time: '09:00:00',
  base64Binary: 'VGV4dA==',
  uri: 'http://example.org/',
  url: 'http://example.org/',
  canonical: 'http://example.org/',
  oid: 'urn:oid:1.2.3',
  code: 'text/plain',
  CodeableConcept: { text: 'Text' },
  Coding: { code: 'code' },
  Reference: { display: 'Name' },
  Identifier: { value: '1' },
  Quantity: { value: 1 },
  Money: { value: 1, currency: 'USD' },
  Period: { start: '2026-01-01' },
  Attachment: { title: 'Title' },
  Expression: { language: 'text/fhirpath', expression: 'true' },
  DataRequirement: { type: 'Patient' },
  UsageContext: { code: { code: 'code' }, valueCodeableConcept: { text: 'Text' } },
  TriggerDefinition: { type: 'named-event', name: 'name' },
  Timing: { code: { text: 'Text' } },
  Annotation: { text: 'Text' },
}

const actor = { display: 'Name' }

/** Elements that the invariants of a type require in addition, or that choose between them. */
const BY_INVARIANT: Readonly<Record<string, object>> = {
  AllergyIntolerance: {
    clinicalStatus: {
      coding: [{ system: 'http://terminology.hl7.org/CodeSystem/allergyintolerance-clinical', code: 'active' }],
    },
  },
  // For trying the operations of the type: a visit that can be confirmed, moved and cancelled, and an open task.
  Appointment: {
    status: 'pending',
    start: '2099-01-05T15:00:00Z',
    end: '2099-01-05T15:30:00Z',
    participant: [{ actor, status: 'accepted' }],
  },
  AppointmentResponse: { actor },
  Bundle: { type: 'collection' },
  CapabilityStatement: { kind: 'requirements', description: 'Text', rest: [{ mode: 'server' }] },
  Consent: { policyRule: { text: 'Text' } },
  EvidenceVariable: { characteristic: [{ definitionCodeableConcept: { text: 'Text' } }] },
  ImmunizationRecommendation: {
    recommendation: [{ forecastStatus: { text: 'Text' }, targetDisease: { text: 'Text' } }],
  },
  InsurancePlan: { name: 'Name' },
  Linkage: { item: ['source', 'alternate'].map((type) => ({ type, resource: { display: 'Name' } })) },
  Organization: { name: 'Name' },
  Parameters: { parameter: [{ name: 'name', valueString: 'Text' }] },
  StructureDefinition: {
    kind: 'logical',
    derivation: 'specialization',
    differential: { element: [{ id: 'Example', path: 'Example' }] },
  },
  // Its events are read, so that nobody is notified of them.
  Subscription: { criteria: 'Patient?', channel: { type: 'websocket' } },
  Task: { status: 'requested', intent: 'order' },
  TerminologyCapabilities: { kind: 'requirements', description: 'Text' },
}

/** A value of a type that has no required elements. */
export const sampleValue = (code: string): unknown => SAMPLES[code] ?? 'Text'

/** @returns undefined where the server does not know the type */
export async function templateOf(type: string, known: Known): Promise<object | undefined> {
  const definition = await known.define(type)
  if (definition === undefined) return undefined
  return { resourceType: type, ...(await requiredIn(scopeOf(definition), known)), ...BY_INVARIANT[type] }
}

async function requiredIn(scope: Scope, known: Known): Promise<object> {
  const members: [string, unknown][] = []
  for (const element of requiredElements(scope)) {
    const value = await sampleOf(scope, element, known)
    members.push([element.name, element.isMany ? [value] : value])
  }
  return Object.fromEntries(members)
}

/** The first type stands for a choice. */
function requiredElements(scope: Scope): readonly TypedElement[] {
  const required = elementsIn(scope).filter(({ min }) => min > 0)
  return required.filter(({ path }, index) => required.findIndex((one) => one.path === path) === index)
}

async function sampleOf(scope: Scope, element: TypedElement, known: Known): Promise<unknown> {
  const { type, binding } = element
  const [first] = binding?.isRequired ? await known.codes(binding.valueSet) : []
  if (first !== undefined && isPrimitive(type.code)) return first.code
  if (first !== undefined && type.code === 'CodeableConcept') return { coding: [first] }
  if (type.code in SAMPLES) return SAMPLES[type.code]
  const within = await scopeWithin(scope, element, known.define)
  return within === undefined ? 'Text' : requiredIn(within, known)
}
