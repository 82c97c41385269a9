/**
 * The topics that one subscribes to: R5 SubscriptionTopics as data, checked when they are loaded, and their triggers.
 * https://hl7.org/fhir/R5/subscriptiontopic.html
 */
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { isResourceType } from '../fhir/definitions.ts'
import { compileFhirPath, type Expression, isSatisfied } from '../fhir/fhirpath/fhirpath.ts'
import { once } from '../fhir/memoize.ts'
import { isObject, itemsOf, type JsonObject } from '../fhir/resource.ts'
import { searchParametersOf } from '../search/parameters.ts'
import { type Criteria, referencesBy, type TopicVersion, topicCriteria } from './topic-criteria.ts'

const FOLDER = join(import.meta.dirname, '../../resources/topics')

/** A version of a resource, and the one before it. A deletion has no current version; deleted versions are absent. */
export interface Change {
  readonly type: string
  readonly previous?: TopicVersion | undefined
  readonly current?: TopicVersion | undefined
}

export interface TopicFilter {
  readonly resource: string
  readonly parameter: string
  readonly description: string
}

export interface Topic {
  readonly id: string
  readonly url: string
  readonly title: string
  readonly description: string
  /** The types whose changes may be events of the topic. */
  readonly types: readonly string[]
  readonly filters: readonly TopicFilter[]
  /** The search parameters by which a notification also has what its focus refers to. */
  readonly includes: readonly string[]
  /** The R5 SubscriptionTopic as it was loaded. */
  readonly definition: JsonObject
  /** Whether a change is an event of the topic. */
  readonly matches: (change: Change) => boolean
}

type Interaction = 'create' | 'update' | 'delete'

const INTERACTIONS: readonly string[] = ['create', 'update', 'delete'] satisfies Interaction[]

const interactionOf = ({ previous, current }: Change): Interaction =>
  current === undefined ? 'delete' : previous === undefined ? 'create' : 'update'

const ownTopics = once((): readonly Topic[] =>
  readdirSync(FOLDER)
    .filter((name) => name.endsWith('.json'))
    .map((name) => loadTopic(JSON.parse(readFileSync(join(FOLDER, name), 'utf8')), name)),
)

/** The topics of the server and of extensions, once there are some of these. */
let all: readonly Topic[] | undefined

/**
 * The topics of this server.
 * @throws Error naming the file and the fault
 */
export const topics = (): readonly Topic[] => all ?? ownTopics()

/** Adds topics of extensions, for every app of this process. @throws Error naming the topic whose id or url is taken */
export function addTopics(added: readonly Topic[]): void {
  const known = [...ownTopics()]
  for (const topic of added) {
    const other = known.find(({ id, url }) => id === topic.id || url === topic.url)
    if (other !== undefined)
      throw new Error(
        `The topic '${topic.id}' (${topic.url}) has the id or the url of '${other.id}'; both must be its own`,
      )
    known.push(topic)
  }
  all = known
}

/** The files that definitions were read from, for messages. */
const files = new WeakMap<object, string>()

/**
 * The R5 SubscriptionTopic in a file, which is checked when the server starts.
 * @param path of `<id>.json`
 * @throws Error naming the file
 */
export function readTopic(path: string): JsonObject {
  const definition = jsonIn(path)
  if (!isObject(definition)) throw new Error(`The topic ${path}: it is no object`)
  if (`${definition.id}.json` !== basename(path)) throw otherId(definition, path)
  files.set(definition, path)
  return definition
}

function jsonIn(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    throw new Error(`The topic ${path} cannot be read: ${messageOf(error)}`)
  }
}

const otherId = ({ id }: JsonObject, file: string): Error =>
  new Error(`The topic ${file}: its id is '${id}', and not the name of the file`)

/** The topic with this canonical, with or without its version. */
export function topicAt(canonical: string): Topic | undefined {
  const [url, version] = canonical.split('|', 2)
  return topics().find((one) => one.url === url && (version === undefined || one.definition.version === version))
}

/**
 * Reads an R5 SubscriptionTopic of a file with this name.
 * @throws Error naming the file and the fault
 */
export function loadTopic(definition: unknown, file: string): Topic {
  const topic = topicOf(definition, file)
  if (`${topic.id}.json` !== file) throw otherId(topic.definition, file)
  return topic
}

/** @param name in messages; absent: its file, or its id. @throws Error naming it and the fault */
export function topicOf(definition: unknown, name?: string): Topic {
  const title = name ?? (isObject(definition) ? (files.get(definition) ?? `'${definition.id}'`) : '')
  const say = (fault: string): Error => new Error(`The topic ${title}: ${fault}`)
  if (!isObject(definition) || definition.resourceType !== 'SubscriptionTopic') throw say('it is no SubscriptionTopic')
  const text = (name: string): string => {
    const value = definition[name]
    if (typeof value !== 'string' || value === '') throw say(`it has no ${name}`)
    return value
  }
  if (definition.status !== 'active') throw say("its status is not 'active'")
  const triggers = itemsOf(definition.resourceTrigger).map((trigger, at) =>
    loadTrigger(trigger, (fault) => say(`resourceTrigger[${at}] ${fault}`)),
  )
  if (triggers.length === 0) throw say('it has no resourceTrigger')
  const types = [...new Set(triggers.map(({ type }) => type))]
  return {
    ...{ id: text('id'), url: text('url'), title: text('title'), description: text('description') },
    ...{ types, definition },
    filters: itemsOf(definition.canFilterBy).map((filter, at) =>
      loadFilter(filter, types, (fault) => say(`canFilterBy[${at}] ${fault}`)),
    ),
    includes: itemsOf(definition.notificationShape).flatMap((shape, at) =>
      loadIncludes(shape, types, (fault) => say(`notificationShape[${at}] ${fault}`)),
    ),
    matches: (change) => triggers.some((trigger) => trigger.type === change.type && trigger.matches(change)),
  }
}

type Say = (fault: string) => Error

interface Trigger {
  readonly type: string
  readonly matches: (change: Change) => boolean
}

function loadTrigger(trigger: unknown, say: Say): Trigger {
  if (!isObject(trigger)) throw say('is no object')
  const type = typeIn(trigger, say)
  const interactions = itemsOf(trigger.supportedInteraction)
  if (interactions.length === 0 || interactions.some((one) => !INTERACTIONS.includes(String(one))))
    throw say(`must have supportedInteraction, of ${INTERACTIONS.join(', ')}`)
  const { queryCriteria, fhirPathCriteria } = trigger
  if (queryCriteria !== undefined && fhirPathCriteria !== undefined)
    throw say('has queryCriteria and fhirPathCriteria; one of them decides')
  const test =
    fhirPathCriteria === undefined ? queryTest(type, queryCriteria ?? {}, say) : pathTest(String(fhirPathCriteria), say)
  return { type, matches: (change) => interactions.includes(interactionOf(change)) && test(change) }
}

/** The type of an element `resource`: its name, or its address in the specification. @throws Error */
function typeIn({ resource }: JsonObject, say: Say): string {
  const type = String(resource).split('/').at(-1) ?? ''
  if (!isResourceType(type)) throw say(`names the resource '${String(resource)}', which R4 does not have`)
  return type
}

type ChangeTest = (change: Change) => boolean

/** Both criteria by default; R5: requireBoth false means that one of them is enough. */
function queryTest(type: string, given: unknown, say: Say): ChangeTest {
  if (!isObject(given)) throw say('has queryCriteria that is no object')
  const before = compiled(type, given.previous, say)
  const after = compiled(type, given.current, say)
  const onCreate = given.resultForCreate === 'test-passes'
  const onDelete = given.resultForDelete === 'test-passes'
  const tests: ChangeTest[] = []
  if (before !== undefined) tests.push(({ previous }) => (previous === undefined ? onCreate : before(previous)))
  if (after !== undefined) tests.push(({ current }) => (current === undefined ? onDelete : after(current)))
  return given.requireBoth === false
    ? (change) => tests.length === 0 || tests.some((test) => test(change))
    : (change) => tests.every((test) => test(change))
}

function compiled(type: string, query: unknown, say: Say): Criteria | undefined {
  if (query === undefined) return undefined
  try {
    return topicCriteria(type, String(query))
  } catch (error) {
    throw say(`has criteria that cannot be used: ${messageOf(error)}`)
  }
}

/** An expression over %previous and %current, whose focus is the current version, or the last one of a deleted resource. */
function pathTest(text: string, say: Say): ChangeTest {
  const expression = compiledPath(text, say)
  return ({ previous, current }) =>
    isSatisfied(expression, (current ?? previous)?.resource, {
      variables: { ...(previous && { previous: previous.resource }), ...(current && { current: current.resource }) },
    })
}

function compiledPath(text: string, say: Say): Expression {
  try {
    const expression = compileFhirPath(text)
    if (expression.compiled) return expression
  } catch (error) {
    throw say(`has fhirPathCriteria that cannot be used: ${messageOf(error)}`)
  }
  throw say('has fhirPathCriteria with a function that is too slow for every write')
}

function loadFilter(filter: unknown, types: readonly string[], say: Say): TopicFilter {
  if (!isObject(filter)) throw say('is no object')
  const { filterParameter: parameter, description } = filter
  const resource = filter.resource === undefined ? types[0] : typeIn(filter, say)
  if (resource === undefined || !types.includes(resource)) throw say(`is about ${resource}, which triggers nothing`)
  if (typeof parameter !== 'string' || !searchParametersOf(resource).has(parameter))
    throw say(`names the parameter '${String(parameter)}', by which ${resource} cannot be searched`)
  return { resource, parameter, description: typeof description === 'string' ? description : parameter }
}

/** The parameters of `Appointment:patient`. */
function loadIncludes(shape: unknown, types: readonly string[], say: Say): readonly string[] {
  if (!isObject(shape)) throw say('is no object')
  return itemsOf(shape.include).map((include) => {
    const [type = '', parameter = ''] = String(include).split(':')
    if (!types.includes(type) || searchParametersOf(type).get(parameter)?.type !== 'reference')
      throw say(`includes '${String(include)}', which is no reference of ${types.join(' or ')}`)
    return parameter
  })
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** The addresses `Type/id` of what a notification about this version has besides it. */
export const contextOf = ({ includes }: Topic, version: Pick<TopicVersion, 'entries'>): readonly string[] => [
  ...new Set(includes.flatMap((parameter) => referencesBy(version, parameter))),
]
