/**
 * Units of measure: https://ucum.org/ucum and https://hl7.org/fhir/R4/datatypes.html#quantity. Units of the same
 * dimension get the same base unit: `mg/dL` and `g/L` become `g.m-3`.
 * The library is slow, so it is loaded with the first unit and its results are cached.
 */
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { distance } from 'fastest-levenshtein'
import { memoize } from './memoize.ts'

export const UCUM = 'http://unitsofmeasure.org'

/** How values of a unit are compared with values of other units. */
export interface BaseUnit {
  /** UCUM code in base units, `m-3.g`; the unit's own code when it is not commensurable with any other. */
  readonly code: string
  /** Converts a value, rounded to twelve digits so that equal quantities stay equal whatever their unit. */
  toBase(value: number): number
}

interface Unit {
  readonly magnitude_: number
  readonly dim_: { readonly dimVec_: readonly number[] | null } | null
  readonly isSpecial_: boolean
  readonly isArbitrary_: boolean
}

interface Library {
  readonly UcumLhcUtils: {
    getInstance(): {
      getSpecifiedUnit(
        code: string,
        how: 'validate',
      ): { readonly unit: Unit | null; readonly retMsg: readonly string[] }
      convertUnitTo(from: string, value: number, to: string): { readonly status: string; readonly toVal: number | null }
      convertToBaseUnits(
        unit: string,
        value: number,
      ): { readonly magnitude?: number; readonly unitToExp?: Readonly<Record<string, number>> }
    }
  }
  readonly UnitTables: { getInstance(): { readonly unitCodes_: Readonly<Record<string, unknown>> } }
}

const require = createRequire(join(import.meta.dirname, 'ucum.ts'))
let loaded: Library | undefined
const library = (): Library => {
  loaded ??= require('@lhncbc/ucum-lhc') as Library
  return loaded
}
const utils = () => library().UcumLhcUtils.getInstance()

const MAX_CACHED_UNITS = 2000
const cachedBaseUnit = memoize(MAX_CACHED_UNITS, findBaseUnit)

/** Undefined when there is no such unit. */
export const baseUnit = (code: string): BaseUnit | undefined => (mayBeUnit(code) ? cachedBaseUnit(code) : undefined)

/**
 * Guards against faults of the library: it prints texts with spaces (maybe a patient's), reads 0 as 1 and is slow on
 * long texts.
 */
const mayBeUnit = (code: string): boolean => /^(?!0$)[\x21-\x7e]{1,64}$/.test(code)

function findBaseUnit(code: string): BaseUnit | undefined {
  const { unit, retMsg } = utils().getSpecifiedUnit(code, 'validate')
  // The library also accepts names (`gram`), with a message that gives the code.
  if (unit === null || retMsg.length > 0 || !Number.isFinite(unit.magnitude_)) return undefined
  if (unit.isSpecial_) return scaleOf(code, unit) ?? unconvertible(code)
  const arbitrary = unit.isArbitrary_ ? arbitraryIn(code) : ''
  if (arbitrary === undefined) return unconvertible(code)
  return { code: joined(dimensionOf(unit), arbitrary), toBase: (value) => rounded(value * unit.magnitude_) }
}

const unconvertible = (code: string): BaseUnit => ({ code, toBase: rounded })

const rounded = (value: number): number => Number(value.toPrecision(12))

const BASE_UNITS = ['m', 's', 'g', 'rad', 'K', 'C', 'cd']

/** '' when dimensionless. */
const dimensionOf = ({ dim_ }: Unit): string =>
  (dim_?.dimVec_ ?? [])
    .flatMap((exponent, at) => (exponent === 0 ? [] : [`${BASE_UNITS[at]}${exponent === 1 ? '' : exponent}`]))
    .join('.')

const joined = (...parts: readonly string[]): string => parts.filter((part) => part !== '').join('.') || '1'

/**
 * A scale with an offset: `Cel`, `[degF]`. Logarithmic units (`[pH]`, `dB`) are not compared with the linear ones,
 * whose order may even be reversed.
 */
function scaleOf(code: string, unit: Unit): BaseUnit | undefined {
  const base = dimensionOf(unit)
  if (/[\d./(){}]/.test(code) || base === '') return undefined
  const at = (value: number): number => utils().convertUnitTo(code, value, base).toVal ?? Number.NaN
  // Far apart, for precision in spite of the offset.
  const [zero, half, whole] = [at(0), at(5e5), at(1e6)]
  const step = (whole - zero) / 1e6
  if (!(step > 0) || Math.abs((half - zero) / 5e5 - step) > step * 1e-9) return undefined
  return { code: base, toBase: (value) => rounded(zero + value * step) }
}

/**
 * The arbitrary unit in a code. Arbitrary units are defined by an assay and comparable only with themselves: `u[iU]/mL`
 * with `m[iU]/L`. Undefined unless the code has exactly one, in the numerator.
 */
function arbitraryIn(code: string): string | undefined {
  const [, factor, rest] = /^[^/()[\]]*(\[[^\]]+\])(?![-+\d])([^()[\]]*)$/.exec(code.replace(/\{[^}]*\}/g, '')) ?? []
  if (factor === undefined || rest === undefined) return undefined
  return factor === '[IU]' ? '[iU]' : factor
}

/** Converts `value` from one unit to another; undefined when they are not commensurable. */
export function convertUnit(from: string, value: number, to: string): number | undefined {
  if (!mayBeUnit(from) || !mayBeUnit(to)) return undefined
  const { status, toVal } = utils().convertUnitTo(from, value, to)
  return status === 'succeeded' ? (toVal ?? undefined) : undefined
}

/** Converts `value` to the base units of its dimension; undefined when there is no such unit. */
export function baseUnits(unit: string, value: number): { readonly value: number; readonly unit: string } | undefined {
  if (!mayBeUnit(unit)) return undefined
  const { magnitude, unitToExp } = utils().convertToBaseUnits(unit, value)
  return magnitude === undefined ? undefined : { value: magnitude, unit: JSON.stringify(unitToExp) }
}

/** The unit codes most similar to an unknown one, closest first; case and brackets count least. */
export function closestUnits(wrong: string): readonly string[] {
  const [text, letters] = [wrong.slice(0, 64), lettersOf(wrong.slice(0, 64))]
  return Object.keys(library().UnitTables.getInstance().unitCodes_)
    .map((code) => ({ code, letters: distance(letters, lettersOf(code)), all: distance(text, code) }))
    .sort((one, other) => one.letters - other.letters || one.all - other.all)
    .slice(0, 3)
    .map(({ code }) => code)
}

const lettersOf = (text: string): string => text.toLowerCase().replace(/[\s[\]{}_']/g, '')
