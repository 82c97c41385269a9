/**
 * A search over all resources in memory, one after the other, straight from https://hl7.org/fhir/R4/search.html. The
 * server's responses are compared with it. It shares with the server only the definitions of the search parameters.
 */
import { dateRange, searchedDate } from './dates.ts'
import { COMPARTMENTS, type Parameter, parametersOf, partsOf } from './definitions.ts'
import { elementsOf, isObject, objectsIn, type Resource, repetitionsOf, textOf } from './elements.ts'
import { holdsFilter } from './filter.ts'
import { compares, prefixed } from './ranges.ts'
import { split, withoutEscapes } from './text.ts'
import { addressOf, fits, fitsValue, isSameCode, referenceText, type Setting, type Token, tokensOf } from './values.ts'
import { fitsWords } from './words.ts'

/** The parameters of a query that do not filter resources. */
const OTHERS = [
  '_sort',
  '_count',
  '_total',
  '_include',
  '_revinclude',
  '_include:iterate',
  '_revinclude:iterate',
  '_type',
]

/** Parameters that lead from a resource to the one that it is part of. */
const PARENT: Readonly<Record<string, string>> = { Location: 'partof', Organization: 'partof', Encounter: 'part-of' }

export class Search {
  readonly #resources: readonly Resource[]
  readonly #setting: Setting

  constructor(resources: readonly Resource[], setting: Setting) {
    this.#resources = resources
    this.#setting = { ...setting, caseSensitive: caseSensitiveIn(resources) }
  }

  /** @param path `/Patient?family=x`, `/Patient/1/Observation?code=x`, `/Patient/1/*`, `/?_type=Patient,Slot` */
  matches(path: string): readonly Resource[] {
    const [address = '', query = ''] = path.split(/\?(.*)/s)
    const pairs = [...new URLSearchParams(query)]
    const [type = '', id, member] = address.slice(1).split('/')
    const [, types = ''] = pairs.find(([name]) => name === '_type') ?? []
    return this.#resources.filter(
      (resource) =>
        (id === undefined
          ? (types || type).split(',').includes(resource.resourceType)
          : (member === '*' || member === resource.resourceType) && this.#isInCompartment(resource, type, id)) &&
        pairs.every(([name, value]) => OTHERS.includes(name) || this.holds(resource, name, value)),
    )
  }

  /** The resources that the includes of a query add to the matches. */
  included(path: string, matches: readonly Resource[]): readonly Resource[] {
    const includes = [...new URLSearchParams(path.split('?')[1])].filter(([name]) => name.includes('include'))
    const iterated = includes.filter(([name]) => name.endsWith(':iterate'))
    const reached = (from: readonly Resource[], by: typeof includes) =>
      this.#resources.filter(
        (one) =>
          !matches.includes(one) &&
          by.some(([name, value]) => from.some((near) => this.#leads(name, value, near, one))),
      )
    // Repeated includes are followed from all resources reached so far, until nothing is new.
    const added = (found: ReadonlySet<Resource>): ReadonlySet<Resource> => {
      const more = found.union(new Set(reached([...found], iterated)))
      return more.size === found.size ? found : added(more)
    }
    return [...added(new Set(reached(matches, includes)))]
  }

  /** Whether an include leads from one resource to another. */
  #leads(name: string, value: string, from: Resource, to: Resource): boolean {
    const [source, target] = name.startsWith('_revinclude') ? [to, from] : [from, to]
    const [type = '*', code = '*', targetType = target.resourceType] = value.split(':')
    const parameters = [...parametersOf(source.resourceType).values()].filter(
      (one) => code === '*' || one.code === code,
    )
    return (
      (type === '*' || type === source.resourceType) &&
      targetType === target.resourceType &&
      parameters.some((parameter) => this.#refers(source, parameter, target))
    )
  }

  #isInCompartment(resource: Resource, type: string, id: string): boolean {
    const codes = COMPARTMENTS[type]?.[resource.resourceType] ?? []
    return codes.some((code) =>
      code === '{def}' ? resource.id === id : this.#hasReference(resource, code, `${type}/${id}`),
    )
  }

  #hasReference(resource: Resource, code: string, reference: string): boolean {
    const parameter = parametersOf(resource.resourceType).get(code)
    return parameter !== undefined && fits(parameter, undefined, reference, resource, this.#setting)
  }

  #refers(source: Resource, { type, expression }: Parameter, target: Resource): boolean {
    if (type !== 'reference') return false
    return elementsOf(source, expression).some((value) => {
      const address = addressOf(referenceText(value), this.#setting)
      return address?.type === target.resourceType && address.id === target.id
    })
  }

  /** One `name=value` of a query. */
  holds(resource: Resource, name: string, value: string): boolean {
    if (name.startsWith('_has:')) return this.#isReferredTo(resource, name, value)
    if (name.includes('.')) return this.#leadsOn(resource, name, value)
    const [code = '', modifier] = name.split(':')
    switch (code) {
      case '_filter':
        return holdsFilter(value, resource, this)
      case '_list':
        return this.#isListed(resource, value)
      case '_text':
      case '_content':
        return split(value, ',').some((one) => fitsWords(code, one, resource))
      case '_lastUpdated':
        return split(value, ',').some((one) => this.#wasUpdated(resource, one))
      case '_id': {
        if (modifier === 'missing') return value === 'false'
        const isOne = split(value, ',').includes(resource.id)
        return modifier === 'not' ? !isOne : isOne
      }
    }
    const parameter = parametersOf(resource.resourceType).get(code)
    return parameter !== undefined && this.#holdsOf(resource, parameter, modifier, value)
  }

  #holdsOf(resource: Resource, parameter: Parameter, modifier: string | undefined, value: string): boolean {
    const some = (test: (text: string) => boolean) => split(value, ',').some(test)
    switch (modifier) {
      case 'missing':
        return isMissing(resource, parameter) === (value === 'true')
      case 'not':
        return !some((text) => fits(parameter, undefined, text, resource, this.#setting))
      case 'in':
        return some((text) => this.#isInValueSet(resource, parameter, text))
      case 'not-in':
        return !some((text) => this.#isInValueSet(resource, parameter, text))
      case 'above':
      case 'below':
        if (parameter.type === 'uri') break
        return some((text) =>
          parameter.type === 'token'
            ? this.#isCodeNear(resource, parameter, modifier, text)
            : this.#isResourceNear(resource, parameter, modifier, text),
        )
    }
    return some((text) => fits(parameter, modifier, text, resource, this.#setting))
  }

  /** `subject:Patient.name`: a resource that it refers to fulfils the rest. */
  #leadsOn(resource: Resource, name: string, value: string): boolean {
    const at = name.indexOf('.')
    const rest = name.slice(at + 1)
    return this.#next(resource, name.slice(0, at)).some(
      (target) => isAskedOf(target.resourceType, rest) && this.holds(target, rest, value),
    )
  }

  /** The resources that a resource refers to by a parameter, `subject` or `subject:Patient`. */
  #next(resource: Resource, step: string): readonly Resource[] {
    const [code = '', type] = step.split(':')
    const parameter = parametersOf(resource.resourceType).get(code)
    if (parameter === undefined) return []
    const types = type === undefined ? (parameter.target ?? ['*']) : [type]
    return this.#resources.filter(
      (target) =>
        (types.includes('*') || types.includes(target.resourceType)) && this.#refers(resource, parameter, target),
    )
  }

  /** The resources at the end of `subject:Patient.organization`. */
  reached(resource: Resource, path: string): readonly Resource[] {
    return path
      .split('.')
      .reduce<readonly Resource[]>((found, step) => found.flatMap((one) => this.#next(one, step)), [resource])
  }

  /** Whether the parameter has another value than the text, for `ne` of a filter. */
  hasAnother(resource: Resource, parameter: Parameter, text: string): boolean {
    if (parameter.code === '_id') return resource.id !== text
    const values = elementsOf(resource, parameter.expression)
    const single = values.flatMap((value): readonly unknown[] =>
      isObject(value) && value['coding'] !== undefined ? objectsIn(value['coding']) : [value],
    )
    const setting = { ...this.#setting, withCase: true }
    return single.some((value) => !fitsValue(parameter, undefined, text, value, setting))
  }

  /** `_has:Observation:patient:code`: a resource that refers to it fulfils the rest. */
  #isReferredTo(resource: Resource, name: string, value: string): boolean {
    const [, type = '', code = '', ...rest] = name.split(':')
    const parameter = parametersOf(type).get(code)
    return this.#resources.some(
      (source) =>
        parameter !== undefined &&
        source.resourceType === type &&
        this.#refers(source, parameter, resource) &&
        this.holds(source, rest.join(':'), value),
    )
  }

  #isListed(resource: Resource, value: string): boolean {
    const item = parametersOf('List').get('item')
    return this.#resources.some(
      (list) =>
        item !== undefined &&
        list.resourceType === 'List' &&
        split(value, ',').includes(list.id) &&
        this.#refers(list, item, resource),
    )
  }

  #wasUpdated({ meta }: Resource, text: string): boolean {
    const [prefix, date] = prefixed(text)
    const searched = searchedDate(prefix, date, this.#setting.now)
    const updated = dateRange(textOf(objectsIn(meta)[0]?.['lastUpdated']))
    return (
      searched !== undefined &&
      updated !== undefined &&
      compares(prefix, searched, { low: updated.low, high: updated.low })
    )
  }

  /** Value sets that list their codes. */
  #isInValueSet(resource: Resource, parameter: Parameter, canonical: string): boolean {
    const [url, version] = split(withoutEscapes(canonical), '|')
    const valueSet = this.#resources.find(
      (one) =>
        one.resourceType === 'ValueSet' &&
        (canonical === `ValueSet/${one.id}` ||
          (one['url'] === url && (version === undefined || one['version'] === version))),
    )
    const codes = objectsIn(valueSet?.['compose']).flatMap(({ include }) =>
      objectsIn(include).flatMap(({ system, concept }) =>
        objectsIn(concept).map(({ code }): Token => ({ system: textOf(system), code: textOf(code) })),
      ),
    )
    return hasOneOf(resource, parameter, codes, this.#setting)
  }

  /** Code systems whose concepts are in each other. */
  #isCodeNear(resource: Resource, parameter: Parameter, direction: 'above' | 'below', text: string): boolean {
    const [system = '', code = ''] = split(text, '|').map(withoutEscapes)
    const codeSystem = this.#resources.find((one) => one.resourceType === 'CodeSystem' && one['url'] === system)
    const lines = objectsIn(codeSystem?.['concept']).flatMap((concept) => linesOf(concept))
    const near = lines.flatMap((line) => {
      const at = line.indexOf(code)
      return at < 0 ? [] : direction === 'above' ? line.slice(0, at + 1) : line.slice(at)
    })
    return hasOneOf(
      resource,
      parameter,
      near.map((one) => ({ system, code: one })),
      this.#setting,
    )
  }

  #isResourceNear(resource: Resource, parameter: Parameter, direction: 'above' | 'below', text: string): boolean {
    const [type = '', id = ''] = text.split('/')
    const near = this.#hierarchy(type, id, direction)
    return [...near].some((id) => fits(parameter, undefined, `${type}/${id}`, resource, this.#setting))
  }

  /** The ids of a resource, here or not, and of all that are above or below it. */
  #hierarchy(type: string, id: string, direction: 'above' | 'below'): ReadonlySet<string> {
    const near = new Set([id])
    const parent = parametersOf(type).get(PARENT[type] ?? '')
    if (parent === undefined) return near
    const all = this.#resources.filter(({ resourceType }) => resourceType === type)
    const isPart = (lower: Resource, upper: string) => fits(parent, undefined, `${type}/${upper}`, lower, this.#setting)
    // The loop also visits ids that it adds.
    for (const next of near) {
      const lower = all.find((one) => one.id === next)
      for (const one of all) {
        if (direction === 'below' ? isPart(one, next) : lower !== undefined && isPart(lower, one.id)) near.add(one.id)
      }
    }
    return near
  }
}

/** Whether resources of the type know the first parameter of a chain. */
const isAskedOf = (type: string, rest: string): boolean =>
  rest.startsWith('_') || parametersOf(type).has(rest.split(/[.:]/)[0] ?? '')

function isMissing(resource: Resource, parameter: Parameter): boolean {
  if (parameter.type !== 'composite') return elementsOf(resource, parameter.expression).length === 0
  const expressions = partsOf(resource.resourceType, parameter).map(({ expression }) => expression)
  return !repetitionsOf(resource, parameter.expression, expressions).some((parts) =>
    parts.every(({ length }) => length > 0),
  )
}

const hasOneOf = (resource: Resource, parameter: Parameter, codes: readonly Token[], setting: Setting): boolean =>
  elementsOf(resource, parameter.expression)
    .flatMap((value) => tokensOf(parameter, value))
    .some((token) =>
      codes.some(
        ({ system, code }) => token.system === system && isSameCode([code, token.code], system, true, setting),
      ),
    )

const caseSensitiveIn = (resources: readonly Resource[]): ReadonlySet<string> =>
  new Set(resources.flatMap(({ url, caseSensitive }) => (caseSensitive === true ? [textOf(url)] : [])))

/** Every way down from a concept, its codes from the top. */
function linesOf(concept: Readonly<Record<string, unknown>>): readonly (readonly string[])[] {
  const code = textOf(concept['code'])
  const below = objectsIn(concept['concept']).flatMap(linesOf)
  return below.length === 0 ? [[code]] : below.map((line) => [code, ...line])
}
