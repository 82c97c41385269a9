/** A wrong declaration of an extension stops the start with one sentence that names it. */
import { describe, expect, test } from '@jest/globals'
import type { OperationDefinition, SearchParameter, StructureDefinition } from 'fhir/r4'
import { toolFamilies } from '../../src/calls/families.ts'
import { defineTool, type ToolFamilies } from '../../src/calls/tool.ts'
import { defineOperation, type Operation } from '../../src/core/operation.ts'
import {
  defineProvider,
  type Interactions,
  type Provider,
  standard,
  standardProvider,
} from '../../src/core/provider.ts'
import {
  type Declarations,
  declarationsWith,
  familiesWith,
  scenariosWith,
  strictnessWith,
} from '../../src/extensions/declarations.ts'
import { installDefinitions } from '../../src/extensions/definitions.ts'
import {
  extendProvider,
  type InteractionWrappers,
  type LoadedExtension,
  type ServerExtension,
} from '../../src/extensions/extension.ts'
import { specialProviders } from '../../src/providers/index.ts'
import { registerProviders, systemOperations } from '../../src/providers/registry.ts'
import type { Scenario } from '../../src/rehearsal/scenarios/scenario.ts'
import type { Profile } from '../../src/rehearsal/strictness/profile.ts'

const SERVER: Declarations = { providers: specialProviders, systemOperations }

const MODULE = './acme.ts'
const named = (parts: Partial<ServerExtension>): LoadedExtension => ({ name: 'acme', module: MODULE, ...parts })
const NAME = 'Extension acme (./acme.ts): '

const DEFINITION: OperationDefinition = {
  ...{ resourceType: 'OperationDefinition', id: 'acme-count', url: 'https://acme.example/count', name: 'Count' },
  ...{ status: 'active', kind: 'operation', code: 'count', resource: ['Basic'] },
  ...{ system: false, type: true, instance: false },
}
const operation = (changes: object = {}): Operation => defineOperation({ ...DEFINITION, ...changes }, async () => ({}))

const PARAMETER: SearchParameter = {
  ...{ resourceType: 'SearchParameter', id: 'acme-kind', url: 'https://acme.example/kind', name: 'kind' },
  ...{ description: 'Kind', status: 'active', code: 'kind', base: ['Basic'], type: 'token', expression: 'Basic.code' },
}
const PROFILE: StructureDefinition = {
  ...{ resourceType: 'StructureDefinition', id: 'acme-basic', url: 'https://acme.example/basic', name: 'AcmeBasic' },
  ...{ status: 'active', kind: 'resource', abstract: false, type: 'Basic', derivation: 'constraint' },
  baseDefinition: 'http://hl7.org/fhir/StructureDefinition/Basic',
  differential: { element: [{ id: 'Basic', path: 'Basic' }] },
}

const TOPIC = {
  ...{ resourceType: 'SubscriptionTopic', id: 'acme-flagged', url: 'https://acme.example/flagged', status: 'active' },
  ...{ title: 'Flagged', description: 'A Flag was created' },
  resourceTrigger: [{ resource: 'Flag', supportedInteraction: ['create'] }],
}

describe('of its resources', () => {
  const parameter = (changes: object) => ({ searchParameters: [{ ...PARAMETER, ...changes }] })
  const profile = (changes: object) => ({ profiles: [{ ...PROFILE, ...changes }] })

  test.each<[string, Partial<ServerExtension>, string]>([
    [
      'an operation without a handler',
      { operations: [{ ...operation(), handler: undefined } as unknown as Operation] },
      'Operation acme-count has no handler',
    ],
    [
      'an operation with a broken definition',
      { operations: [operation({ type: false })] },
      'Operation acme-count: its OperationDefinition is broken: none of system, type and instance is true, so it has no address',
    ],
    [
      'an operation for no type',
      { operations: [operation({ resource: undefined })] },
      'Operation acme-count: its OperationDefinition is broken: resource names no type',
    ],
    [
      'an operation of its provider, with a broken definition',
      { providers: [defineProvider('Basic', { interactions: standard, operations: [operation({ url: undefined })] })] },
      'Operation acme-count: its OperationDefinition is broken: it has no url, which /metadata names it by',
    ],
    [
      'an operation with the id of one of the server',
      { operations: [operation({ id: 'patient-match' })] },
      "the OperationDefinition 'patient-match' (https://acme.example/count) has the id or the url of one of the server; both must be its own",
    ],
    [
      'a profile without a url',
      profile({ url: undefined }),
      "the StructureDefinition 'acme-basic' has no url, which others name it by",
    ],
    [
      'a profile without an id',
      profile({ id: undefined }),
      'the StructureDefinition https://acme.example/basic has no id, under which clients read it',
    ],
    [
      'a profile that is no valid StructureDefinition',
      profile({ kind: 'thing' }),
      "the StructureDefinition 'acme-basic' is broken: ",
    ],
    [
      'a resource in the wrong part',
      { valueSets: [PROFILE] as never },
      'valueSets holds something that is no ValueSet',
    ],
    [
      'a search parameter of a code that the type has',
      parameter({ code: 'code' }),
      "the SearchParameter 'acme-kind': SearchParameter.code: 'code' is a search parameter of Basic already (http://hl7.org/fhir/SearchParameter/Basic-code), which cannot be replaced; choose another code",
    ],
    [
      'a search parameter for an unknown type',
      parameter({ base: ['Basis'] }),
      "the SearchParameter 'acme-kind' is broken: ",
    ],
    [
      'a code system with the url of one of the server',
      {
        codeSystems: [
          {
            ...{ resourceType: 'CodeSystem', id: 'acme-status', status: 'active', content: 'complete' },
            url: 'https://sandbox-emr.example/fhir/CodeSystem/insurance-status',
          },
        ],
      },
      "the CodeSystem 'acme-status' (https://sandbox-emr.example/fhir/CodeSystem/insurance-status) has the id or the url of one of the server; both must be its own",
    ],
    [
      'a search parameter without an expression',
      parameter({ expression: undefined }),
      "the SearchParameter 'acme-kind': SearchParameter.expression: an active search parameter needs a FHIRPath expression",
    ],
    [
      'a search parameter that is not active',
      parameter({ status: 'draft' }),
      "the SearchParameter 'acme-kind' has the status draft; only an active one is searched by",
    ],
    [
      'a search parameter that describes one of R4',
      parameter({ code: 'identifier', url: 'http://hl7.org/fhir/SearchParameter/Basic-identifier' }),
      "the SearchParameter 'acme-kind' describes one that the server has already",
    ],
    [
      'a topic about a type that R4 does not have',
      { topics: [{ ...TOPIC, resourceTrigger: [{ resource: 'Flak', supportedInteraction: ['create'] }] }] },
      "The topic 'acme-flagged': resourceTrigger[0] names the resource 'Flak', which R4 does not have",
    ],
    [
      'a topic with a filter that the type does not have',
      { topics: [{ ...TOPIC, canFilterBy: [{ filterParameter: 'colour' }] }] },
      "The topic 'acme-flagged': canFilterBy[0] names the parameter 'colour', by which Flag cannot be searched",
    ],
    [
      'a topic with the url of one of the server',
      { topics: [{ ...TOPIC, url: 'https://sandbox-emr.example/fhir/SubscriptionTopic/slot-freed' }] },
      "The topic 'acme-flagged' (https://sandbox-emr.example/fhir/SubscriptionTopic/slot-freed) has the id or the url of 'slot-freed'; both must be its own",
    ],
    [
      'a topic twice',
      { topics: [TOPIC, { ...TOPIC, url: 'https://acme.example/flagged-again' }] },
      "The topic 'acme-flagged' (https://acme.example/flagged-again) has the id or the url of 'acme-flagged'; both must be its own",
    ],
    [
      'a topic that is no valid resource as a Basic',
      { topics: [{ ...TOPIC, id: 'acme flagged' }] },
      "The topic 'acme flagged' is broken: ",
    ],
    [
      'a code twice',
      { searchParameters: [PARAMETER, { ...PARAMETER, id: 'acme-sort', url: 'https://acme.example/sort' }] },
      "the SearchParameter 'acme-sort': SearchParameter.code: SearchParameter/acme-kind defines 'kind' for Basic already; choose another code",
    ],
  ])('%s', (_what, parts, sentence) => {
    expect(() => installDefinitions([named(parts)])).toThrow(NAME + sentence)
  })

  test('a url that another extension has', () => {
    const other: LoadedExtension = { name: 'other', profiles: [{ ...PROFILE, id: 'other-basic' }] }
    expect(() => installDefinitions([other, named({ profiles: [PROFILE] })])).toThrow(
      `${NAME}the StructureDefinition 'acme-basic' (https://acme.example/basic) has the id or the url of one of extension other; both must be its own`,
    )
  })
})

describe('of its providers and operations', () => {
  const around = (wrappers: object): Partial<ServerExtension> => ({
    providers: [extendProvider('Patient', wrappers as InteractionWrappers)],
  })
  const basic = (declaration: Partial<Provider>): Partial<ServerExtension> => ({
    providers: [defineProvider('Basic', { interactions: standard, ...declaration })],
  })

  test.each<[string, Partial<ServerExtension>, string]>([
    [
      'a provider for a type that R4 does not have',
      { providers: [defineProvider('Pacient', { interactions: standard })] },
      'provider Pacient: R4 has no such resource type',
    ],
    [
      'a provider for a type of which the server has its own',
      { providers: [defineProvider('Patient', { interactions: standard })] },
      'provider Patient: the server has one for Patient already; put rules around it with extendProvider',
    ],
    [
      'an interaction without a handler',
      basic({ interactions: { ...standard, update: undefined } as unknown as Interactions }),
      'Provider Basic declares update without a handler',
    ],
    [
      'a search parameter that its type does not have',
      basic({ searchParams: ['kode'] }),
      "Provider Basic: there is no search parameter 'kode' for Basic",
    ],
    [
      'a combined index of a search parameter that its type does not have',
      basic({ combined: [{ equal: ['code'], range: 'createt' }] }),
      "Provider Basic: its combined index names 'createt', which is no search parameter of Basic",
    ],
    [
      'an operation of its provider for another type',
      basic({ operations: [operation({ resource: ['Flag'] })] }),
      'Operation acme-count: provider Basic declares it, but OperationDefinition.resource does not name Basic',
    ],
    [
      'a rule around what R4 does not have',
      { providers: [extendProvider('Pacient', {})] },
      'provider Pacient: R4 has no such resource type',
    ],
    [
      'a rule around an interaction that the type does not offer',
      around({ remove: () => standard.delete }),
      "Patient offers no interaction 'remove' to extend; it offers read, vread, create, update, patch, delete, history-instance, history-type, search-type",
    ],
    [
      'a rule that is no function',
      around({ create: true }),
      'the extension of Patient declares create without a handler',
    ],
    [
      'a rule that gives no handler',
      around({ create: () => undefined }),
      'Provider Patient declares create without a handler',
    ],
    [
      'an operation that the type has',
      { operations: [operation({ resource: ['Patient'], code: 'match' })] },
      'operation $match: Patient has one of that code already (http://hl7.org/fhir/OperationDefinition/Patient-match)',
    ],
    [
      'an operation that every type has',
      { operations: [operation({ code: 'validate' })] },
      'operation $validate: Basic has one of that code already (http://hl7.org/fhir/OperationDefinition/Resource-validate)',
    ],
    [
      'an operation that the whole clinic has',
      { operations: [operation({ code: 'reindex-status', system: true, type: false })] },
      'operation $reindex-status: the system has one of that code already (https://sandbox-emr.example/fhir/OperationDefinition/reindex-status)',
    ],
  ])('%s', (_what, parts, sentence) => {
    expect(() => declarationsWith([named(parts)], SERVER)).toThrow(NAME + sentence)
  })

  test('a provider for a type of which another extension has one', () => {
    const other: LoadedExtension = { name: 'other', providers: [standardProvider('Basic')] }
    expect(() => declarationsWith([other, named(basic({}))], SERVER)).toThrow(
      `${NAME}provider Basic: extension other has one for Basic already; put rules around it with extendProvider`,
    )
  })
})

test('a module that is named twice, or a name that another extension has: its rules would run twice', () => {
  const rules: Partial<ServerExtension> = { providers: [extendProvider('Patient', { create: (next) => next })] }
  expect(() => declarationsWith([named(rules), named(rules)], SERVER)).toThrow(
    `${NAME}an extension of that name is loaded already; each has a name of its own`,
  )
})

describe('of its tools', () => {
  const reserved = new Set(['session'])
  const count = defineTool(operation())
  const providers = registerProviders(
    declarationsWith([named({ operations: [count.operation] })], SERVER).providers,
    standardProvider,
  )
  const withTools = (tools: ToolFamilies) => familiesWith([named({ tools })], toolFamilies, { providers, reserved })

  test('a tool of its declared operation is taken', () => {
    expect(withTools({ acme: { count } })).toEqual({ ...toolFamilies, acme: { count } })
    expect(withTools({ 'patient-intake': { count } })['patient-intake']).toEqual({
      ...toolFamilies['patient-intake'],
      count,
    })
  })

  test.each<[string, ToolFamilies, string]>([
    [
      'a tool of an operation that is not declared',
      { acme: { count: defineTool(operation()) } },
      'Tool acme/count: no provider declares its operation acme-count',
    ],
    [
      'a tool that the server has',
      { 'patient-intake': { submit_intake: count } },
      'Tool patient-intake/submit_intake is defined twice; each family has a tool once',
    ],
    [
      'a family at the address of other routes',
      { session: { count } },
      'Tool family session: /session is the address of other routes',
    ],
    [
      'a family at the address of a resource type',
      { Patient: { count } },
      'Tool family Patient: /Patient is the address of a resource type',
    ],
  ])('%s', (_what, tools, sentence) => {
    expect(() => withTools(tools)).toThrow(NAME + sentence)
  })
})

test('a search parameter once others have been used', () => {
  expect(() => installDefinitions([named({ searchParameters: [PARAMETER] })])).toThrow(
    'Search parameters are in use already; extensions add theirs before that',
  )
})

describe('of its scenarios', () => {
  const SISTERS: Scenario = {
    name: 'two-sisters',
    title: 'Two sisters',
    version: '1.0.0',
    description: 'Two patients.',
    people: [],
    count: 0,
    resources: () => [],
  }

  test.each<[string, readonly unknown[], string]>([
    ['one without a title', [{ ...SISTERS, title: undefined }], "the scenario 'two-sisters': title must be a text"],
    ['one with a member that there is not', [{ ...SISTERS, data: [] }], "a scenario has no member 'data'"],
    ['one without resources', [{ ...SISTERS, resources: [] }], "'two-sisters' must have resources, a function"],
    ['one whose name has capitals', [{ ...SISTERS, name: 'TwoSisters' }], 'lower-case words joined by hyphens'],
    ['one of the name of the server’s', [{ ...SISTERS, name: 'quiet-week' }], "a scenario 'quiet-week' already"],
    ['two of one name', [SISTERS, SISTERS], "there is a scenario 'two-sisters' already"],
  ])('%s', (_what, scenarios, message) => {
    const load = () => scenariosWith([named({ scenarios: scenarios as readonly Scenario[] })])
    expect(load).toThrow(NAME)
    expect(load).toThrow(message)
  })

  test('none: they are beside those of the server', () => {
    expect(scenariosWith([named({ scenarios: [SISTERS] })]).named('two-sisters')).toBe(SISTERS)
  })
})

describe('of its strictness profiles', () => {
  const RULE = {
    id: 'no-patients',
    title: 'There are no Patients',
    on: { types: ['Patient'] },
    check: { offered: false },
    answer: { status: 404, code: 'not-found' },
    citation: { quote: 'None.', address: 'https://example.org/docs', date: '2026-11-28', kind: 'primary' },
  }
  const PROFILE = { name: 'our-ehr', title: 'Our EHR', version: '1.0.0', disclaimer: 'Not affiliated.', rules: [RULE] }
  const withRule = (more: object) => [{ ...PROFILE, rules: [{ ...RULE, ...more }] }]
  const cited = (more: object) => withRule({ citation: { ...RULE.citation, ...more } })
  const OF_RULE = "the strictness profile 'our-ehr', rule 'no-patients'"

  test.each<[string, readonly unknown[], string]>([
    ['a rule without a source', withRule({ citation: undefined }), `${OF_RULE}: citation must be an object`],
    ['a rule without a quote', cited({ quote: '' }), `${OF_RULE}: citation: quote must be a text`],
    [
      'a rule without an address',
      cited({ address: 'their page' }),
      `${OF_RULE}: citation: address must be a web address`,
    ],
    ['a rule without a day', cited({ date: undefined }), `${OF_RULE}: citation: date must be a day`],
    [
      'a rule of an unknown kind of source',
      cited({ kind: 'heard' }),
      `${OF_RULE}: citation: kind must be "primary" or`,
    ],
    [
      'a rule with two checks',
      withRule({ check: { offered: false, body: 'true' } }),
      `${OF_RULE}: check must have one of`,
    ],
    ['a rule with no FHIRPath', withRule({ check: { body: 'name.' } }), `${OF_RULE}: check: body must be FHIRPath`],
    [
      'a rule for a type that there is not',
      withRule({ on: { types: ['Patent'] } }),
      `${OF_RULE}: on: types must be a list`,
    ],
    [
      'a rule that answers 200',
      withRule({ answer: { status: 200, code: 'x' } }),
      `${OF_RULE}: answer: status must be 4xx`,
    ],
    ['two rules of one id', [{ ...PROFILE, rules: [RULE, RULE] }], `${OF_RULE}: the id is there twice`],
    ['a member that there is not', [{ ...PROFILE, rule: [] }], "the strictness profile 'our-ehr' has no member 'rule'"],
    [
      'one of the name of the server’s',
      [{ ...PROFILE, name: 'oracle-r4' }],
      "a strictness profile 'oracle-r4' already",
    ],
  ])('%s', (_what, profiles, message) => {
    const load = () => strictnessWith([named({ strictness: profiles as readonly Profile[] })])
    expect(load).toThrow(NAME)
    expect(load).toThrow(message)
  })

  test('none: they are beside those of the server', () => {
    const profile = PROFILE as Profile
    expect(strictnessWith([named({ strictness: [profile] })]).named('our-ehr')).toBe(profile)
  })
})
