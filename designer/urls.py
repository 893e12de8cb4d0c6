from django.contrib import admin
from django.contrib.auth.views import LogoutView
from django.urls import include, path
from django.views.i18n import set_language

from designer.views import pages, sign_in

urlpatterns = [
    # people
    path("sign-in", sign_in.sign_in, name="sign-in"),
    path("sign-out", LogoutView.as_view(), name="sign-out"),
    path("language", set_language, name="language"),
    path("tastes", pages.tastes, name="tastes"),
    # the product itself
    path("style-guide", pages.style_guide, name="style-guide"),
    path("admin/", admin.site.urls),
    path("api/", include("designer.api.urls")),
]
