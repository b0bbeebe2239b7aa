"""Writes weather.h5, and cut.b2nd, the first part of a file, with h5py, hdf5plugin and blosc2.

The temperatures are computed from latitude, longitude and month, inside rough outlines of the land. They are not measured.
"""

import pathlib

import blosc2
import h5py
import hdf5plugin
import numpy as np

# Polygons around the land: the longitude and latitude of each corner, in degrees.
CORNERS = [
    "-165 65, -155 70, -95 70, -80 65, -60 55, -65 45, -81 27, -97 27, -95 17, -87 20, -78 8, -105 20, -124 42, -130 55, -150 60, -162 57",
    "-78 8, -60 10, -50 0, -35 -6, -40 -20, -58 -37, -65 -45, -68 -54, -74 -50, -71 -30, -70 -18, -81 -5",
    "-6 35, 10 37, 32 31, 43 12, 51 11, 40 -5, 40 -16, 33 -27, 20 -35, 13 -15, 9 2, -8 5, -17 14, -15 25",
    "-9 37, -4 48, 5 52, 5 60, 15 69, 28 71, 45 67, 70 72, 105 77, 140 73, 179 68, 163 60, 157 52, 142 53, 127 36, 121 38, 122 30, 108 20, "
    "103 5, 95 18, 88 22, 79 9, 72 21, 58 25, 57 19, 45 13, 35 30, 36 37, 27 37, 22 38, 14 45, 9 44, -1 38",
    "114 -22, 130 -12, 142 -11, 153 -27, 150 -37, 143 -39, 131 -32, 116 -34",
    "-60 76, -55 82, -30 83, -20 75, -42 60, -52 65",
    "-180 -72, 180 -68, 180 -91, -180 -91",
]

here = pathlib.Path(__file__).parent
month, lat, lon = np.arange(12), np.arange(87.5, -90, -5), np.arange(-177.5, 180, 5)


def land(text):
    """Tells which cells are within these corners, by the number of sides east of a cell."""
    corners = np.array([corner.split() for corner in text.split(",")], float)
    inside = np.zeros((lat.size, lon.size), bool)
    for (x0, y0), (x1, y1) in zip(corners, np.roll(corners, 1, axis=0)):
        if y0 != y1:
            crosses = (lat[:, None] > min(y0, y1)) & (lat[:, None] <= max(y0, y1))
            inside ^= crosses & (lon < x0 + (lat[:, None] - y0) * (x1 - x0) / (y1 - y0))
    return inside


south = np.radians(lat)[:, None]
inland = np.any([land(text) for text in CORNERS], axis=0)
summer = np.cos(2 * np.pi * (month[:, None, None] - 6.5) / 12) * np.sin(south)
waves = np.sin(np.radians(3 * lon)) * np.cos(south) ** 2
temperature = np.where(inland, 46 * np.cos(south) ** 1.2 - 19 + 17 * summer + 3 * waves, np.nan)
temperature = np.round(temperature, 1).astype("<f4")

with h5py.File(here / "weather.h5", "w", libver="v110") as file:
    for name, values, units in [("month", month.astype("<i4"), "months since 2025-01-01"), ("lat", lat, "degrees_north"), ("lon", lon, "degrees_east")]:
        file.create_dataset(name, data=values, track_times=False).attrs["units"] = units
        file[name].make_scale(name)
    compression = hdf5plugin.Blosc2(cname="zstd", clevel=9, filters=hdf5plugin.Blosc2.SHUFFLE)
    data = file.create_dataset("temperature", data=temperature, chunks=(4, 36, 72), track_times=False, compression=compression)
    data.attrs["units"] = "degC"
    data.attrs["long_name"] = "monthly mean temperature"
    for axis, name in enumerate(["month", "lat", "lon"]):
        data.dims[axis].attach_scale(file[name])

whole = here / "whole.b2nd"
blosc2.asarray(temperature, chunks=(4, 36, 72), blocks=(1, 36, 72), urlpath=whole, mode="w", cparams={"nthreads": 1, "clevel": 9})
(here / "cut.b2nd").write_bytes(whole.read_bytes()[:15000])  # as a copy that was interrupted
whole.unlink()
