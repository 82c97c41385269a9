/** Versions of resources as topics look at them. */
import type { TopicVersion } from '../../src/events/topic-criteria.ts'
import type { AnyResource } from '../../src/fhir/resource.ts'
import { extractEntries } from '../../src/search/index/extract.ts'

export const versionOf = (resource: AnyResource): TopicVersion => ({
  type: resource.resourceType,
  id: resource.id ?? '',
  lastUpdated: Date.parse(resource.meta?.lastUpdated ?? ''),
  entries: extractEntries(resource),
  resource,
})
