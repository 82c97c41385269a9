/** The marker in a stored text. */
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import {
  contentElement,
  contentMarker,
  contentOf,
  hasMarkers,
  markersIn,
  strayMarker,
  withContentsAsData,
  withMarkers,
} from '../../../src/fhir/content/marker.ts'

const SHA = 'a0'.repeat(32)
const OTHER = '1f'.repeat(32)
const AS_DATA = `urn:sandbox-emr:content:${SHA}`

describe('a marker', () => {
  test('is what JSON.stringify writes for the element _data', () => {
    const text = JSON.stringify({ resourceType: 'Binary', _data: contentElement(SHA), contentType: 'image/png' })
    expect(text).toContain(contentMarker(SHA))
    expect(markersIn(text)).toEqual([SHA])
    expect(contentOf(JSON.parse(text)._data)).toBe(SHA)
  })

  test('is found each time it is there, and named once', () => {
    const text = `{${contentMarker(SHA)},"x":[{${contentMarker(OTHER)}},{${contentMarker(SHA)}}]}`
    expect(markersIn(text)).toEqual([SHA, OTHER])
  })

  test('is not found in the texts of a client, whatever they say', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (before, after) => {
        const text = JSON.stringify({ text: `${before}{${contentMarker(SHA)}}${after}` })
        expect(hasMarkers(text)).toBe(false)
        expect(markersIn(text)).toEqual([])
      }),
    )
  })

  test('is no element that merely resembles it', () => {
    expect(contentOf(undefined)).toBeUndefined()
    expect(contentOf({ extension: [] })).toBeUndefined()
    expect(contentOf({ id: 'x', ...contentElement(SHA) })).toBeUndefined()
    expect(contentOf(contentElement(SHA.toUpperCase()))).toBeUndefined()
    expect(contentOf({ extension: [{ url: 'urn:x' }, ...contentElement(SHA).extension] })).toBeUndefined()
  })

  test('has beside it what the client has given the element, and is found first', () => {
    const beside = { id: 'x', extension: [{ url: 'urn:x', valueString: contentMarker(OTHER) }] }
    for (const one of [{ id: 'x' }, { extension: beside.extension }, beside]) {
      const element = contentElement(SHA, one)
      expect(markersIn(JSON.stringify({ _data: element }))).toEqual([SHA])
      expect(contentOf(element)).toBe(SHA)
      expect(strayMarker({ _data: element }, 'Binary')).toBeUndefined()
      expect(strayMarker({ _data: element, data: 'AA==' }, 'Binary')).toBe('Binary.data')
      expect(withContentsAsData({ _data: contentElement(SHA, one) })).toEqual({ _data: one, data: AS_DATA })
    }
  })

  test('is put in front again, whatever order its element comes in', () => {
    const element = { id: 'x', extension: [{ url: 'urn:x', valueCode: 'y' }] }
    const marked = { _data: contentElement(SHA, element) }
    const { extension } = marked._data
    for (const mixed of [
      { id: 'x', extension },
      { id: 'x', extension: extension.toReversed() },
    ])
      expect(JSON.stringify(withMarkers({ _data: mixed }))).toBe(JSON.stringify(marked))
    expect(withMarkers({ data: AS_DATA, _data: element })).toEqual(marked)
    expect(withMarkers({ _data: element, data: AS_DATA })).toEqual(marked)
  })

  test('stays away from what is no element, which is refused as such', () => {
    for (const _data of [null, 'x', [], {}, { extension: [] }, { extension: {} }]) {
      expect(withMarkers({ data: AS_DATA, _data })).toEqual({ data: AS_DATA, _data })
    }
  })
})
