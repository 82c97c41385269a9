/** placeholder */
export const MONGO_SIZES = 'mongo-sizes'
export const measureSizes = async (folder: string): Promise<string> => folder
export const sizeTables = (sizes: string): string => sizes
