/** DocumentReference/$docref: https://hl7.org/fhir/us/core/OperationDefinition-docref.html. */
import { defineOperation, type OperationInput, type OperationRequest, Searchset } from '../core/operation.ts'
import { checkPageSize, searchRequest } from '../core/search-request.ts'
import { badRequest, type Issue } from '../fhir/outcome.ts'
import { isObject, itemsOf } from '../fhir/resource.ts'
import { escaped, tokenText } from '../search/value.ts'

/** Default number of documents on a page. */
const COUNT = 50

export const documentReferenceDocref = defineOperation('document-reference-docref', async (request) => {
  const { access, input, paging } = request
  const count = countOf(request)
  const criteria = criteriaOf(input)
  const used = usedOf(input)
  if (input['on-demand'] === true)
    return new Searchset({ matches: [], included: [], total: 0, used, warnings: [NONE_ON_DEMAND] })
  const query = new URLSearchParams([...criteria, ['_count', String(count)], ['_total', 'accurate']])
  if (paging?.cursor !== undefined) query.set('_cursor', paging.cursor)
  const ctx = await access.reader()
  const { plan } = await searchRequest(ctx, ['DocumentReference'], query, {
    limits: { defaultCount: count, maxCount: count, includes: 0 },
  })
  const { matches, total, next } = await ctx.unit.search(plan)
  return new Searchset({ matches, included: [], total, used, next, warnings: [] })
})

const NONE_ON_DEMAND: Issue = {
  severity: 'information',
  code: 'informational',
  diagnostics: 'This server generates no documents on demand; leave on-demand out to get those that are stored',
}

function countOf({ input, paging }: OperationRequest): number {
  const count = input['_count']
  if (typeof count === 'number' && count < 1)
    throw badRequest(`_count is ${count}; it must be 1 or more`, { expression: '_count' })
  const most = Math.min(typeof count === 'number' ? count : COUNT, paging?.maxCount ?? COUNT)
  checkPageSize(most)
  return most
}

/** The criteria as search parameters. */
function criteriaOf(input: OperationInput): readonly [string, string][] {
  const types = itemsOf(input['type']).flatMap(codingsOf).map(tokenOf)
  const profiles = itemsOf(input['profile']).map((profile) => escaped(String(profile)))
  return [
    ['patient', `Patient/${String(input['patient'])}`],
    ['status', 'current'],
    ['_sort', '-date'],
    ...(input['start'] === undefined ? [] : [['period', `ge${String(input['start'])}`] as [string, string]]),
    ...(input['end'] === undefined ? [] : [['period', `le${String(input['end'])}`] as [string, string]]),
    ...(types.length === 0 ? [] : [['type', types.join()] as [string, string]]),
    ...(profiles.length === 0 ? [] : [['_profile', profiles.join()] as [string, string]]),
  ]
}

/** A Coding, or the CodeableConcept defined up to version 3.1.1. */
const codingsOf = (type: unknown): readonly unknown[] =>
  isObject(type) && Array.isArray(type['coding']) ? type['coding'] : [type]

/** @throws FhirError 400 for a Coding without a code */
function tokenOf(coding: unknown): string {
  const { system, code } = isObject(coding) ? coding : {}
  if (typeof code !== 'string')
    throw badRequest('Parameter type has no code; e.g. {"system": "http://loinc.org", "code": "34133-9"}', {
      expression: 'type',
    })
  return tokenText(typeof system === 'string' ? system : undefined, code)
}

/** Parameters for the links between pages, which use GET. */
const usedOf = (input: OperationInput): readonly (readonly [string, string])[] =>
  Object.entries(input).flatMap(([name, value]) =>
    [value].flat().map((one) => [name, isObject(one) ? JSON.stringify(one) : String(one)] as const),
  )
