/** Random searches over a population: their values are those of its resources, or close to them. */
import fc from 'fast-check'
import { COMPARTMENTS, type Parameter, parametersOf } from '../naive/definitions.ts'
import { elementsOf, isObject, type Resource, textOf } from '../naive/elements.ts'
import { textsOf } from '../naive/values.ts'
import {
  compositeCriterion,
  dateText,
  encoded,
  from,
  isComparable,
  literalTargets,
  localTo,
  modified,
  nearCriterion,
  numbersOf,
  numberText,
  quantityText,
  referenceCriterion,
  stringCriterion,
  type Text,
  targetsOf,
  tokenCriterion,
  tokens,
  URIS,
  uriCriterion,
  variants,
} from './criteria.ts'
import { IDS, TYPES, type Type, words } from './vocabulary.ts'

/** The types of parameters with the most rules, which few resource types have. */
const INVOLVED: readonly Parameter['type'][] = ['quantity', 'composite', 'special']

export class Queries {
  readonly #byType: ReadonlyMap<string, readonly Resource[]>
  /** The resource types of the population. */
  readonly #types: readonly Type[]

  constructor(population: readonly Resource[]) {
    this.#byType = Map.groupBy(population, ({ resourceType }) => resourceType)
    this.#types = TYPES.filter((type) => this.#byType.has(type))
  }

  /** Types that the parameter may refer to, those of the population where it may. */
  #targetsOf(parameter: Parameter): readonly Type[] {
    const targets = targetsOf(parameter)
    const here = targets.filter((type) => this.#types.includes(type))
    return here.length > 0 ? here : targets
  }

  /** Paths with queries. */
  searches(): Text {
    return fc.oneof(
      { weight: 12, arbitrary: fc.constantFrom(...this.#types).chain((type) => this.#searchOf(type, `/${type}`)) },
      { weight: 1, arbitrary: this.#compartment() },
      { weight: 1, arbitrary: this.#acrossTypes() },
    )
  }

  #searchOf(type: Type, path: string): Text {
    const one = this.#criterion(type, 3)
    return fc
      .tuple(
        fc.oneof(fc.tuple(one), fc.tuple(one), fc.tuple(one, one)),
        fc.oneof(fc.constant(''), this.#sort(type)),
        fc.constantFrom('', '', '_count=1', '_count=2', '_count=3'),
        fc.constantFrom('', '', '_total=accurate'),
      )
      .chain(([criteria, sort, count, total]) =>
        (count === ''
          ? fc.oneof({ weight: 3, arbitrary: fc.constant('') }, this.#includes(type))
          : fc.constant('')
        ).map(
          (includes) => `${path}?${[...criteria, sort, count, total, includes].filter((one) => one !== '').join('&')}`,
        ),
      )
  }

  #compartment(): Text {
    const centers = fc.constantFrom(...(['Patient', 'Encounter', 'Practitioner'] as const))
    return fc.tuple(centers, fc.constantFrom(...IDS)).chain(([center, id]) => {
      const members = this.#types.filter((type) => COMPARTMENTS[center]?.[type] !== undefined)
      return fc.oneof(
        fc.constantFrom(...members).chain((type) => this.#searchOf(type, `/${center}/${id}/${type}`)),
        fc.constantFrom('', '?_id=1,2', '?_tag:missing=true').map((query) => `/${center}/${id}/*${query}`),
      )
    })
  }

  #acrossTypes(): Text {
    const shared = [...parametersOf('Patient').values()].filter(
      ({ code }) => code.startsWith('_') && code !== '_lastUpdated',
    )
    const all = [...this.#byType.values()].flat()
    const criterion = fc
      .constantFrom(...shared)
      .chain((parameter) => this.#valueOf('Patient', parameter, parameter.code, all))
    return fc
      .tuple(fc.subarray([...this.#types], { minLength: 2 }), criterion, fc.constantFrom('', '&_sort=_id', '&_count=5'))
      .map(([types, query, more]) => `/?_type=${types.join(',')}&${query}${more}`)
  }

  /** @param links how many references may still be followed */
  #criterion(type: Type, links: number): Text {
    const own = this.#ownCriterion(type)
    if (links === 0) return own
    return fc.oneof(
      { weight: 10, arbitrary: own },
      { weight: 2, arbitrary: this.#chain(type, links) },
      { weight: 2, arbitrary: this.#reverseChain(type, links) },
      { weight: 1, arbitrary: fc.oneof(this.#words(), this.#list(), this.#updated()) },
      { weight: 1, arbitrary: this.#filter(type).map((filter) => encoded('_filter', filter)) },
    )
  }

  /** Mostly parameters with a value in some resource; each type of parameter equally often. */
  #parameter(
    type: Type,
    isWanted: (parameter: Parameter) => boolean = () => true,
  ): fc.Arbitrary<Parameter> | undefined {
    const all = [...parametersOf(type).values()].filter((one) => one.code !== '_lastUpdated' && isWanted(one))
    const used = all.filter((parameter) => this.#values(type, parameter).length > 0)
    if (all.length === 0) return undefined
    const kinds = [...Map.groupBy(used, (parameter) => parameter.type)].map(([kind, some]) => ({
      weight: INVOLVED.includes(kind) ? 6 : 3,
      arbitrary: fc.constantFrom(...some),
    }))
    return fc.oneof(fc.constantFrom(...all), ...kinds)
  }

  #written(type: Type, parameter: Parameter): readonly string[] {
    return referencesOf(this.#byType.get(type) ?? [], parameter)
  }

  /** Queries over only the wanted resources of a type, where there are some, so that chains find matches more often. */
  #among(type: Type, isWanted: (resource: Resource) => boolean): Queries {
    const wanted = this.#byType.get(type)?.filter(isWanted) ?? []
    return wanted.length === 0 ? this : new Queries([...new Map(this.#byType).set(type, wanted).values()].flat())
  }

  #values(type: string, { expression }: Parameter): readonly unknown[] {
    return (this.#byType.get(type) ?? []).flatMap((resource) => elementsOf(resource, expression))
  }

  #ownCriterion(type: Type): Text {
    const parameters = this.#parameter(type) ?? fc.constantFrom(...parametersOf(type).values())
    return parameters.chain((parameter) =>
      fc.oneof(
        { weight: 8, arbitrary: this.#valueOf(type, parameter, parameter.code, this.#byType.get(type) ?? []) },
        // R4 does not say when a composite is missing of which some parts are there.
        ...(parameter.type === 'composite' ? [] : [fc.boolean().map((is) => `${parameter.code}:missing=${is}`)]),
      ),
    )
  }

  #valueOf(type: string, parameter: Parameter, name: string, resources: readonly Resource[]): Text {
    const values = resources.flatMap((resource) => elementsOf(resource, parameter.expression))
    if (parameter.code === '_id')
      return modified(name, [
        ['', fc.constantFrom(...IDS)],
        [':not', fc.constantFrom(...IDS)],
      ])
    switch (parameter.type) {
      case 'string':
        return stringCriterion(name, values)
      case 'token':
        return tokenCriterion(parameter, name, values)
      case 'reference':
        return referenceCriterion(parameter, name, values)
      case 'uri':
        return uriCriterion(name, values)
      case 'date':
        return modified(name, [['', dateText(values)]])
      case 'number':
        return modified(name, [['', numberText(values.flatMap(numbersOf))]])
      case 'quantity':
        return modified(name, [['', quantityText(values)]])
      case 'special':
        return nearCriterion(name, values)
      case 'composite':
        return compositeCriterion(type, parameter, name, resources)
    }
  }

  #references(type: Type): fc.Arbitrary<Parameter> | undefined {
    return this.#parameter(type, (one) => one.type === 'reference' && targetsOf(one).length > 0)
  }

  #chain(type: Type, links: number): Text {
    const references = this.#references(type)
    if (references === undefined) return this.#ownCriterion(type)
    return fc.tuple(references, fc.boolean()).chain(([parameter, isTyped]) => {
      const named = isTyped || parameter.target?.includes('*') === true
      return fc.constantFrom(...this.#targetsOf(parameter)).chain((target) =>
        this.#among(target, ({ id }) => this.#written(type, parameter).some((text) => text.endsWith(`${target}/${id}`)))
          .#criterion(target, links - 1)
          .filter((rest) => named || isForAll(parameter, rest))
          .map((rest) => `${parameter.code}${named ? `:${target}` : ''}.${rest}`),
      )
    })
  }

  #reverseChain(type: Type, links: number): Text {
    const sources = this.#types.flatMap((source) =>
      [...parametersOf(source).values()].flatMap((parameter) =>
        parameter.type === 'reference' && targetsOf(parameter).includes(type) ? [{ source, parameter }] : [],
      ),
    )
    const used = sources.filter(({ source, parameter }) => this.#values(source, parameter).length > 0)
    if (used.length === 0) return this.#ownCriterion(type)
    return fc.constantFrom(...used).chain(({ source, parameter }) =>
      this.#among(source, (one) => referencesOf([one], parameter).some((text) => text.includes(`${type}/`)))
        .#criterion(source, links - 1)
        .map((rest) => `_has:${source}:${parameter.code}:${rest}`),
    )
  }

  #words(): Text {
    const word = fc.constantFrom('bone', 'LIVER', 'muller', 'lung', 'ray', 'met*', 'l*', 'anna', 'van', 'ann*')
    const term = fc.tuple(fc.constantFrom('', '', 'NOT '), word).map((parts) => parts.join(''))
    const all = fc.array(term, { minLength: 1, maxLength: 3 }).map((terms) => terms.join(' AND '))
    const either = fc.array(all, { minLength: 1, maxLength: 2 }).map((parts) => parts.join(' OR '))
    return fc.tuple(fc.constantFrom('_text', '_content'), either).map(([name, value]) => encoded(name, value))
  }

  #list(): Text {
    return fc.constantFrom('1', '2', '3,4', '4').map((ids) => `_list=${ids}`)
  }

  #updated(): Text {
    return fc
      .constantFrom('gt2020', 'lt2020', 'ge2024-01-01', 'eb2020-01-01T00:00:00Z')
      .map((date) => `_lastUpdated=${date}`)
  }

  #filter(type: Type): Text {
    const tests = this.#test(type)
    const join = fc.constantFrom(' and ', ' or ')
    return fc.oneof(
      tests,
      fc.tuple(tests, join, tests).map((parts) => parts.join('')),
      fc.tuple(tests, join, tests, join, tests).map(([a, b, c, d, e]) => `${a}${b}(${c}${d}${e})`),
      tests.map((test) => `not (${test})`),
    )
  }

  #test(type: Type): Text {
    const isTested = ({ code, type: kind, element }: Parameter) =>
      kind !== 'composite' && kind !== 'special' && code !== '_profile' && element !== 'ContactPoint'
    const parameters = this.#parameter(type, isTested)
    if (parameters === undefined) return fc.constant('_id eq "1"')
    const own = parameters.chain((parameter) => this.#testOf(type, parameter))
    const references = this.#references(type)
    if (references === undefined) return own
    const onwards = references.chain((parameter) =>
      fc.constantFrom(...this.#targetsOf(parameter)).chain((target) => {
        const there = this.#parameter(target, isTested) ?? fc.constantFrom(...parametersOf(target).values())
        return there.chain((one) => this.#testOf(target, one)).map((test) => `${parameter.code}:${target}.${test}`)
      }),
    )
    return fc.oneof({ weight: 4, arbitrary: own }, onwards)
  }

  #testOf(type: Type, parameter: Parameter): Text {
    const values = this.#values(type, parameter)
    const quoted = (text: string) => `"${text.replace(/[\\"]/g, '\\$&')}"`
    const test = (operators: readonly string[], text: Text) =>
      fc
        .tuple(fc.constantFrom(...operators), text)
        .map(([operator, value]) => `${parameter.code} ${operator} ${quoted(value)}`)
    const presence = fc.boolean().map((is) => `${parameter.code} pr ${is}`)
    if (parameter.code === '_id') return test(['eq', 'ne'], fc.constantFrom(...IDS))
    switch (parameter.type) {
      case 'string':
        return test(
          ['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le'],
          from(values.flatMap(textsOf).filter(isComparable), words).chain(variants),
        )
      case 'token':
        return fc.oneof({ weight: 3, arbitrary: test(['eq', 'ne'], tokens(parameter, values)) }, presence)
      case 'reference':
        return fc.oneof(
          test(
            ['eq', 'ne', 're'],
            localTo(literalTargets(parameter)).map((parts) => parts.join('/')),
          ),
          presence,
        )
      case 'date':
        return test(['eq', 'ne', 'gt', 'ge', 'lt', 'le', 'sa', 'eb', 'co', 'po'], dateText(values).map(withoutPrefix))
      case 'number':
        return test(
          ['eq', 'ne', 'gt', 'ge', 'lt', 'le', 'ap'],
          numberText(values.flatMap(numbersOf)).map(withoutPrefix),
        )
      case 'quantity':
        return test(['eq', 'ne', 'gt', 'ge', 'lt', 'le', 'ap'], quantityText(values).map(withoutPrefix))
      case 'uri':
        return test(['eq', 'ne', 'ss', 'sb'], URIS)
      default:
        return presence
    }
  }

  #sort(type: Type): Text {
    const keys = this.#parameter(type, ({ type: kind }) => kind !== 'composite' && kind !== 'special')
    const key = fc.tuple(
      fc.constantFrom('', '-'),
      fc.oneof(
        { weight: 4, arbitrary: (keys ?? fc.constantFrom(...parametersOf(type).values())).map(({ code }) => code) },
        fc.constantFrom('_id', '_lastUpdated'),
      ),
    )
    return fc
      .uniqueArray(key, { minLength: 1, maxLength: 3, selector: ([, code]) => code })
      .map((all) => `_sort=${all.map((parts) => parts.join('')).join(',')}`)
  }

  #includes(type: Type): Text {
    const references = this.#references(type) ?? fc.constant(undefined)
    const pointing = this.#types.flatMap((source) =>
      [...parametersOf(source).values()].flatMap((parameter) =>
        parameter.type === 'reference' && targetsOf(parameter).includes(type) ? [`${source}:${parameter.code}`] : [],
      ),
    )
    const one = fc.oneof(
      references.map((parameter) =>
        parameter === undefined ? `_include=${type}:*` : `_include=${type}:${parameter.code}`,
      ),
      fc.constantFrom('_include=*', `_include=${type}:*`, '_revinclude=*'),
      pointing.length === 0
        ? fc.constant('_revinclude=*')
        : fc.constantFrom(...pointing).map((text) => `_revinclude=${text}`),
      fc.constantFrom(
        '_include:iterate=Encounter:part-of',
        '_include:iterate=Patient:link',
        '_revinclude:iterate=Observation:subject',
        '_include:iterate=Observation:*',
      ),
    )
    return fc.uniqueArray(one, { minLength: 1, maxLength: 3 }).map((all) => all.join('&'))
  }
}

const referencesOf = (resources: readonly Resource[], { expression }: Parameter): readonly string[] =>
  resources
    .flatMap((resource) => elementsOf(resource, expression))
    .map((value) => (isObject(value) ? textOf(value['reference']) : textOf(value)))

const withoutPrefix = (text: string): string => text.replace(/^[a-z]{2}/, '')

/** A chain that names no type is refused where the parameter is not of the same kind in every type, or its value no value. */
function isForAll(parameter: Parameter, rest: string): boolean {
  const code = rest.split(/[.:=]/)[0] ?? ''
  return targetsOf(parameter).filter((type) => parametersOf(type).has(code)).length === 1
}
